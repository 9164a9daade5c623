package io.idlalayer.benchmarks.tensors;

import static io.idlalayer.benchmarks.tensors.StackedNets.convolution;

import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.nd4j.linalg.activations.Activation;

/**
 * Configurations of networks in which a layer can have several inputs, and the output of a layer
 * several users.
 */
final class GraphNets {
  private static final int RESNET_BLOCKS = 2;
  private static final int DEEP_RESNET_BLOCKS = 8;
  private static final int DENSE_LAYERS = 4;
  private static final int DENSE_GROWTH = 8;
  private static final int MODULES = 4;
  private static final int DEEP_MODULES = 12;

  private GraphNets() {}

  /** Adds layers one by one, and gives each a name. */
  private static final class Drawing {
    final GraphBuilder graph;
    private int count;

    Drawing(NetScale scale) {
      graph =
          StackedNets.builder(StackedNets.momentum())
              .graphBuilder()
              .addInputs("in")
              .setInputTypes(StackedNets.image(scale));
    }

    String name(String what) {
      return what + count++;
    }

    String convolve(int width, int kernel, Activation activation, String from) {
      String name = name("conv");
      graph.addLayer(name, convolution(width, kernel, activation), from);
      return name;
    }

    /** Adds a convolution with batch normalisation. */
    String block(int width, int kernel, Activation activation, String from) {
      String plain = convolve(width, kernel, Activation.IDENTITY, from);
      String name = name("norm");
      graph.addLayer(name, new BatchNormalization.Builder().activation(activation).build(), plain);
      return name;
    }

    String pool(String from) {
      String name = name("pool");
      graph.addLayer(name, StackedNets.pool(), from);
      return name;
    }

    String merge(String... from) {
      String name = name("merge");
      graph.addVertex(name, new MergeVertex(), from);
      return name;
    }

    /**
     * Adds the last layers, and returns the network as a configuration of Deeplearning4j in JSON.
     */
    String finish(String last) {
      graph.addLayer("mean", new GlobalPoolingLayer.Builder(PoolingType.AVG).build(), last);
      graph.addLayer("out", StackedNets.output(), "mean");
      return graph.setOutputs("out").build().toJson();
    }
  }

  static String resnet(NetScale scale) {
    return resnet(scale, RESNET_BLOCKS);
  }

  /** Returns a network as deep as the networks in the literature: 8 blocks in each stage. */
  static String deepResnet(NetScale scale) {
    return resnet(scale, scale.of(DEEP_RESNET_BLOCKS));
  }

  private static String resnet(NetScale scale, int blocks) {
    Drawing drawing = new Drawing(scale);
    String last = drawing.block(scale.of(8), 3, Activation.RELU, "in");
    for (int width : new int[] {8, 16, 32}) {
      if (width > 8) {
        last = drawing.pool(last);
        last = drawing.block(scale.of(width), 1, Activation.RELU, last);
      }
      for (int i = 0; i < blocks; i++) {
        String inner = drawing.block(scale.of(width), 3, Activation.RELU, last);
        inner = drawing.block(scale.of(width), 3, Activation.IDENTITY, inner);
        String sum = drawing.name("add");
        drawing.graph.addVertex(sum, new ElementWiseVertex(ElementWiseVertex.Op.Add), inner, last);
        last = drawing.name("relu");
        drawing.graph.addLayer(
            last, new ActivationLayer.Builder().activation(Activation.RELU).build(), sum);
      }
    }
    return drawing.finish(last);
  }

  static String densenet(NetScale scale) {
    Drawing drawing = new Drawing(scale);
    String last = drawing.block(scale.of(8), 3, Activation.RELU, "in");
    for (int block = 0; block < 3; block++) {
      if (block > 0) {
        last = drawing.block(scale.of(16), 1, Activation.RELU, last);
        last = drawing.pool(last);
      }
      for (int i = 0; i < DENSE_LAYERS; i++) {
        String grown = drawing.block(scale.of(DENSE_GROWTH), 3, Activation.RELU, last);
        last = drawing.merge(last, grown);
      }
    }
    return drawing.finish(last);
  }

  static String inception(NetScale scale) {
    return inception(scale, MODULES);
  }

  /** Returns a network as deep as the networks in the literature: 12 modules. */
  static String deepInception(NetScale scale) {
    return inception(scale, scale.of(DEEP_MODULES));
  }

  private static String inception(NetScale scale, int modules) {
    Drawing drawing = new Drawing(scale);
    String last = drawing.convolve(scale.of(16), 3, Activation.RELU, "in");
    for (int i = 0; i < modules; i++) {
      String one = drawing.convolve(scale.of(8), 1, Activation.RELU, last);
      String three = drawing.convolve(scale.of(8), 1, Activation.RELU, last);
      three = drawing.convolve(scale.of(16), 3, Activation.RELU, three);
      String five = drawing.convolve(scale.of(4), 1, Activation.RELU, last);
      five = drawing.convolve(scale.of(8), 5, Activation.RELU, five);
      String pooled = drawing.name("maximum");
      drawing.graph.addLayer(
          pooled,
          new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
              .kernelSize(3, 3)
              .stride(1, 1)
              .convolutionMode(ConvolutionMode.Same)
              .build(),
          last);
      pooled = drawing.convolve(scale.of(8), 1, Activation.RELU, pooled);
      last = drawing.merge(one, three, five, pooled);
      if (i == 1) {
        last = drawing.pool(last);
      }
    }
    return drawing.finish(last);
  }
}
