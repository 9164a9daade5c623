package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.ParameterArrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds and changes the layers in a configuration. */
public final class LayerTrees {
  private static final String DEFAULTS = "defaultConfiguration";
  private static final String VARIABLES = "variables";

  private LayerTrees() {}

  /** Returns how each layer is trained, by the layer's name, in the order of the configuration. */
  static Map<String, ObjectNode> of(ObjectNode configuration) {
    Map<String, ObjectNode> layers = new LinkedHashMap<>();
    JsonNode stacked = configuration.path("confs");
    for (int i = 0; i < stacked.size(); i++) {
      if (stacked.get(i) instanceof ObjectNode training) {
        JsonNode name = training.path("layer").path("layerName");
        layers.put(name.isTextual() ? name.textValue() : "layer" + i, training);
      }
    }
    for (Map.Entry<String, JsonNode> vertex : configuration.path("vertices").properties()) {
      if (vertex.getValue().path("layerConf") instanceof ObjectNode training) {
        layers.put(vertex.getKey(), training);
      }
    }
    return layers;
  }

  /** Sets the seed of all layers. */
  static void seed(ObjectNode configuration, long seed) {
    of(configuration).values().forEach(training -> putSeed(training, seed));
    if (configuration.get(DEFAULTS) instanceof ObjectNode shared) {
      putSeed(shared, seed);
    }
  }

  private static void putSeed(ObjectNode training, long seed) {
    training.put("seed", seed);
  }

  /**
   * Lists the names of the arrays of parameters in the configuration of each layer, as
   * Deeplearning4j does when it initialises a network.
   */
  public static void nameParameters(ObjectNode configuration, NetworkPlan plan) {
    Map<String, LayerPlan> plans = new HashMap<>();
    plan.nodes().forEach(node -> plans.put(node.layer().name(), node.layer()));
    ArrayNode all =
        configuration.get(DEFAULTS) instanceof ObjectNode shared
            ? shared.putArray(VARIABLES)
            : null;
    of(configuration)
        .forEach(
            (name, training) -> {
              LayerPlan layer = plans.get(name);
              List<String> names = layer == null ? List.of() : ParameterArrays.names(layer);
              ArrayNode own = training.putArray(VARIABLES);
              for (String each : names) {
                own.add(each);
                if (all != null) {
                  all.add(name + "_" + each);
                }
              }
            });
  }
}
