package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelruntime.artifact.ModelSpec;

/**
 * Changes the learning rate and the penalty in the configuration of a network that iDlaLayer built.
 * The updater and its state do not change.
 */
public final class FitChange {
  private static final String UPDATER = "iupdater";
  private static final String RATE = "learningRate";

  private FitChange() {}

  /** Sets the learning rate and the L2 penalty of all layers. */
  public static void apply(ObjectNode configuration, ModelSpec.Fit fit) {
    for (JsonNode layer : configuration.findValues("layer")) {
      if (layer instanceof ObjectNode settings && settings.get(UPDATER) instanceof ObjectNode own) {
        own.put(RATE, fit.learningRate());
        own.remove("learningRateSchedule");
        ArrayNode penalties = settings.putArray("regularization");
        if (fit.l2() > 0) {
          penalties.add(LayerNodes.l2(fit.l2()));
        }
      }
    }
  }
}
