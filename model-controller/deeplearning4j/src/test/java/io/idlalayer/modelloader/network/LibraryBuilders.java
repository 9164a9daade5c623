package io.idlalayer.modelloader.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.nd4j.NativeMemory;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.impl.LossMCXENT;
import org.nd4j.linalg.lossfunctions.impl.LossMSE;

/**
 * Builds the networks that an application names by their sizes with Deeplearning4j's own builders
 * and initialisation, to compare them with the product's.
 */
public final class LibraryBuilders {
  private static final int KERNEL = 5;
  private static final int POOL = 2;

  private LibraryBuilders() {}

  /** Returns a freshly initialised network of a specification of any kind. */
  public static ArrayNetwork create(ModelSpec spec, long seed) {
    NativeMemory.takeOver();
    if (spec.network() instanceof ModelSpec.Network.Mlp mlp) {
      return spec.members() == 1
          ? initialised(mlp(spec, mlp, seed))
          : initialised(MemberGraphs.mlp(spec, mlp, builder(spec, seed).graphBuilder()));
    } else if (spec.network() instanceof ModelSpec.Network.Cnn cnn) {
      return initialised(cnn(spec, cnn, seed));
    } else if (spec.network() instanceof ModelSpec.Network.Dlrm dlrm) {
      return initialised(EmbeddingGraphs.dlrm(spec, dlrm, builder(spec, seed).graphBuilder()));
    } else if (spec.network() instanceof ModelSpec.Network.WideAndDeep wide) {
      return initialised(
          EmbeddingGraphs.wideAndDeep(spec, wide, builder(spec, seed).graphBuilder()));
    }
    return NetworkFactory.create(spec, seed);
  }

  private static ArrayNetwork initialised(MultiLayerConfiguration configuration) {
    MultiLayerNetwork network = new MultiLayerNetwork(configuration);
    network.init();
    return new StackedNetwork(network);
  }

  private static ArrayNetwork initialised(ComputationGraphConfiguration configuration) {
    ComputationGraph graph = new ComputationGraph(configuration);
    graph.init();
    return new GraphNetwork(graph);
  }

  private static NeuralNetConfiguration.Builder builder(ModelSpec spec, long seed) {
    return new NeuralNetConfiguration.Builder()
        .seed(seed)
        .updater(NetworkFactory.updater(spec.fit()))
        .l2(spec.fit().l2())
        .weightInit(WeightInit.RELU);
  }

  private static MultiLayerConfiguration mlp(ModelSpec spec, ModelSpec.Network.Mlp mlp, long seed) {
    NeuralNetConfiguration.ListBuilder layers = builder(spec, seed).list();
    for (int width : mlp.hidden()) {
      layers.layer(new DenseLayer.Builder().nOut(width).activation(Activation.RELU).build());
    }
    return layers
        .layer(output(spec))
        .setInputType(InputType.feedForward(spec.inputWidth()))
        .build();
  }

  private static MultiLayerConfiguration cnn(ModelSpec spec, ModelSpec.Network.Cnn cnn, long seed) {
    NeuralNetConfiguration.ListBuilder layers = builder(spec, seed).list();
    for (int filters : cnn.filters()) {
      layers.layer(
          new ConvolutionLayer.Builder(KERNEL, KERNEL)
              .convolutionMode(ConvolutionMode.Same)
              .nOut(filters)
              .activation(Activation.RELU)
              .build());
      layers.layer(
          new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
              .kernelSize(POOL, POOL)
              .stride(POOL, POOL)
              .build());
    }
    return layers
        .layer(new DenseLayer.Builder().nOut(cnn.dense()).activation(Activation.RELU).build())
        .layer(output(spec))
        .setInputType(InputType.convolutionalFlat(cnn.height(), cnn.width(), cnn.channels()))
        .build();
  }

  static OutputLayer output(ModelSpec spec) {
    return new OutputLayer.Builder(loss(spec))
        .activation(outputActivation(spec))
        .weightInit(WeightInit.XAVIER)
        .nOut(spec.outputWidth())
        .build();
  }

  /** Returns the loss of a network with one member. */
  static ILossFunction loss(ModelSpec spec) {
    if (!regression(spec)) {
      return new LossMCXENT();
    }
    return spec.loss().equals(TargetLoss.SQUARED)
        ? new LossMSE()
        : new TargetLossFunction(spec.loss());
  }

  static Activation outputActivation(ModelSpec spec) {
    return regression(spec) ? Activation.IDENTITY : Activation.SOFTMAX;
  }

  private static boolean regression(ModelSpec spec) {
    return spec.schema().label().task() == SampleSchema.Task.REGRESSION;
  }
}
