package io.idlalayer.modelloader.network;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.nd4j.linalg.learning.regularization.L2Regularization;
import org.nd4j.linalg.learning.regularization.Regularization;

/** Changes the L2 penalty of a network, and detects whether its learning rate has to change. */
final class ChangedFit {
  private ChangedFit() {}

  /**
   * Sets the L2 penalty of all layers.
   *
   * @return whether a layer has another learning rate, which only the network itself can change
   */
  static boolean penalise(Layer[] layers, ModelSpec.Fit fit) {
    List<Regularization> penalty =
        fit.l2() > 0 ? List.of(new L2Regularization(fit.l2())) : List.of();
    boolean otherRate = false;
    for (Layer layer : layers) {
      if (layer.conf().getLayer() instanceof BaseLayer weighted) {
        otherRate |= weighted.getIUpdater().getLearningRate(0, 0) != fit.learningRate();
        weighted.setRegularization(new ArrayList<>(penalty));
      }
    }
    return otherRate;
  }
}
