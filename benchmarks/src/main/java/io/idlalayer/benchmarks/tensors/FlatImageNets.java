package io.idlalayer.benchmarks.tensors;

import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;

/**
 * The reference networks for images, with the images as rows of numbers, as the product has them.
 */
public final class FlatImageNets {
  /** Numbers of one row. */
  public static final int INPUTS = StackedNets.COLOURS * StackedNets.IMAGE * StackedNets.IMAGE;

  public static final int CLASSES = StackedNets.CLASSES;

  private FlatImageNets() {}

  /**
   * A configuration of Deeplearning4j.
   *
   * @param net such as {@code resnet-s}; one for images
   */
  public static String configuration(String net) {
    Model network = ReferenceNet.of(net).build(new NetScale(1));
    FeedForwardToCnnPreProcessor images =
        new FeedForwardToCnnPreProcessor(StackedNets.IMAGE, StackedNets.IMAGE, StackedNets.COLOURS);
    if (network instanceof ComputationGraph graph) {
      ComputationGraphConfiguration configuration = graph.getConfiguration();
      String input = configuration.getNetworkInputs().get(0);
      configuration
          .getVertexInputs()
          .forEach(
              (name, sources) -> {
                if (sources.contains(input)
                    && configuration.getVertices().get(name) instanceof LayerVertex layer) {
                  layer.setPreProcessor(images);
                }
              });
      return configuration.toJson();
    }
    MultiLayerConfiguration configuration =
        ((MultiLayerNetwork) network).getLayerWiseConfigurations();
    configuration.getInputPreProcessors().put(0, images);
    return configuration.toJson();
  }
}
