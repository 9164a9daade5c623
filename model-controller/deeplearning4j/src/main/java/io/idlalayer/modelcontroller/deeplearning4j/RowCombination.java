package io.idlalayer.modelcontroller.deeplearning4j;

import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.StackedNetwork;
import java.util.Arrays;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;

/**
 * Finds out whether one row of weight w trains a network of Deeplearning4j as w equal rows do. A
 * SameDiff graph may have any operation, so that its rows are not combined.
 */
final class RowCombination {
  private RowCombination() {}

  /** Returns whether equal rows of a mini-batch may become one row with their number as weight. */
  static boolean in(ArrayNetwork network) {
    if (network instanceof StackedNetwork stacked) {
      return allowed(stacked.layers().getLayers());
    }
    return network instanceof GraphNetwork graph && allowed(graph.layers().getLayers());
  }

  private static boolean allowed(Layer[] layers) {
    return Arrays.stream(layers).map(Layer::conf).allMatch(RowCombination::allowed);
  }

  private static boolean allowed(NeuralNetConfiguration configuration) {
    org.deeplearning4j.nn.conf.layers.Layer layer = configuration.getLayer();
    boolean noisy = layer instanceof BaseLayer base && base.getWeightNoise() != null;
    return configuration.isMiniBatch()
        && layer.getIDropout() == null
        && !noisy
        && !(layer instanceof BatchNormalization);
  }
}
