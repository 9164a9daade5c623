package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The networks that are measured: small relatives of networks in the literature. */
public enum ReferenceNet {
  /** Convolutions in a row, with pooling. */
  VGG_S(192, StackedNets::vgg),
  /** Residual blocks with batch normalisation. */
  RESNET_S(64, GraphNets::resnet),
  /** Dense blocks: each layer takes the outputs of all layers before it. */
  DENSENET_S(40, GraphNets::densenet),
  /** Modules of parallel convolutions. */
  INCEPTION_S(48, GraphNets::inception),
  /** Two recurrent layers. */
  LSTM_S(32, StackedNets::lstm),
  /** Wide dense layers: more parameters than activations. */
  MLP(256, StackedNets::mlp),
  /** Residual blocks, as deep as in the literature. */
  RESNET_D(64, GraphNets::deepResnet),
  /** Modules of parallel convolutions, as deep as in the literature. */
  INCEPTION_D(48, GraphNets::deepInception),
  /** Twelve recurrent layers. */
  LSTM_D(32, StackedNets::deepLstm),
  /** Residual blocks; a step needs about 1 GiB. Experiments with this network are SIMULATED. */
  RESNET_1G(160, GraphNets::deepResnet);

  private final int batch;
  private final Function<NetScale, String> configuration;

  ReferenceNet(int batch, Function<NetScale, String> configuration) {
    this.batch = batch;
    this.configuration = configuration;
  }

  /** Returns the name of this network on the command line. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the network with a key.
   *
   * @throws IllegalArgumentException if there is no such network; the message lists all keys
   */
  public static ReferenceNet of(String key) {
    return Arrays.stream(values())
        .filter(net -> net.key().equals(key))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no model is called %s; there are %s".formatted(key, keys())));
  }

  static String keys() {
    return Arrays.stream(values()).map(ReferenceNet::key).collect(Collectors.joining(", "));
  }

  /** Returns the default number of examples of a mini-batch. */
  int batch(NetScale scale) {
    return scale.of(batch);
  }

  private int inputs(NetScale scale) {
    int side = scale.image(StackedNets.IMAGE);
    return switch (this) {
      case VGG_S, RESNET_S, DENSENET_S, INCEPTION_S, RESNET_D, INCEPTION_D, RESNET_1G ->
          StackedNets.COLOURS * side * side;
      case LSTM_S, LSTM_D -> StackedNets.LSTM_INPUTS * StackedNets.LSTM_STEPS;
      case MLP -> StackedNets.MLP_INPUTS;
    };
  }

  /**
   * Returns the specification of the network. Its inputs are rows of numbers. The configuration of
   * Deeplearning4j says how the network learns.
   */
  public ModelSpec spec(NetScale scale) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", inputs(scale), 1)),
            List.of(),
            new SampleSchema.Label(
                "y",
                SampleSchema.Task.CLASSIFICATION,
                IntStream.range(0, StackedNets.CLASSES).mapToObj(Integer::toString).toList()),
            null);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Dl4jJson(configuration.apply(scale)),
        new ModelSpec.Fit(batch(scale), 1, ModelSpec.Updater.ADAM, 0.001, 0),
        false);
  }
}
