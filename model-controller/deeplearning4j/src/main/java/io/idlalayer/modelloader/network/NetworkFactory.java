package io.idlalayer.modelloader.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.serve.ModelNetwork;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import io.idlalayer.modelruntime.artifact.ZipEntries;
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
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.ILossFunction;
import org.nd4j.linalg.lossfunctions.impl.LossMCXENT;
import org.nd4j.linalg.lossfunctions.impl.LossMSE;

/** Builds Deeplearning4j's and SameDiff's networks from specifications and from files. */
public final class NetworkFactory {
  static {
    NativeMemory.takeOver();
  }

  private static final int KERNEL = 5;
  private static final int POOL = 2;

  private NetworkFactory() {}

  /**
   * Creates a freshly initialized network.
   *
   * @param seed seed of its parameters; a SameDiff graph brings its own parameters
   * @throws IllegalArgumentException if the specification's network cannot be built or does not fit
   *     its features and label
   */
  public static ArrayNetwork create(ModelSpec spec, long seed) {
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
    } else if (spec.network() instanceof ModelSpec.Network.Dl4jJson json) {
      return Dl4jConfiguration.create(spec, json.json(), seed);
    } else if (spec.network() instanceof ModelSpec.Network.SameDiffGraph graph) {
      return SameDiffNetwork.create(spec, graph);
    }
    throw new IllegalArgumentException("unknown network " + spec.network());
  }

  /**
   * Returns whether a schedule of the network depends on the count of epochs. A learner counts no
   * epochs, so such a schedule keeps its first value.
   *
   * @throws IllegalArgumentException if the network's configuration cannot be read
   */
  public static boolean countsEpochs(ModelSpec spec) {
    return spec.network() instanceof ModelSpec.Network.Dl4jJson json
        && Dl4jConfiguration.countsEpochs(json.json());
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

  /**
   * Returns the network in a file that {@link ModelNetwork#encode} of a network of this
   * specification wrote. The network trains on as the specification says now: another learning rate
   * and penalty take effect.
   *
   * @throws MalformedModelException if it is not that
   */
  public static ArrayNetwork decode(ModelSpec spec, byte[] file) throws MalformedModelException {
    return decode(spec, file, ZipEntries.LARGEST_BYTES);
  }

  /**
   * Returns the network in a file, with a limit of its unpacked size.
   *
   * @param largestBytes limit of the file's entries together, unpacked
   */
  public static ArrayNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException {
    if (spec.network() instanceof ModelSpec.Network.SameDiffGraph graph) {
      return SameDiffNetwork.decode(spec, graph, file, largestBytes);
    }
    ArrayNetwork network = NetworkZip.decode(spec, file, largestBytes);
    boolean ours = !(spec.network() instanceof ModelSpec.Network.Dl4jJson);
    if (ours && network instanceof StackedNetwork stacked) {
      stacked.fitFromNowOn(spec.fit());
    } else if (ours && network instanceof GraphNetwork graph) {
      graph.fitFromNowOn(spec.fit());
    }
    return network;
  }

  private static NeuralNetConfiguration.Builder builder(ModelSpec spec, long seed) {
    return new NeuralNetConfiguration.Builder()
        .seed(seed)
        .updater(updater(spec.fit()))
        .l2(spec.fit().l2())
        .weightInit(WeightInit.RELU);
  }

  public static IUpdater updater(ModelSpec.Fit fit) {
    return switch (fit.updater()) {
      case SGD -> new Sgd(fit.learningRate());
      case NESTEROVS -> new Nesterovs(fit.learningRate(), Nesterovs.DEFAULT_NESTEROV_MOMENTUM);
      case ADAM -> new Adam(fit.learningRate());
    };
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
