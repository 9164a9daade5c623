package io.idlalayer.benchmarks.tensors;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.deeplearning4j.nn.api.Model;

/** Networks that are measured: small relatives of the ones in the literature. */
enum ReferenceNet {
  /** Convolutions in a row, with pooling. */
  VGG_S(192, StackedNets::vgg),
  /** Residual blocks with batch normalisation. */
  RESNET_S(64, GraphNets::resnet),
  /** Dense blocks: each layer sees all before it. */
  DENSENET_S(40, GraphNets::densenet),
  /** Modules of parallel convolutions. */
  INCEPTION_S(48, GraphNets::inception),
  /** Two recurrent layers. */
  LSTM_S(32, StackedNets::lstm),
  /** Wide dense layers: more parameters than activations. */
  MLP(256, StackedNets::mlp);

  private final int batch;
  private final Function<NetScale, Model> builder;

  ReferenceNet(int batch, Function<NetScale, Model> builder) {
    this.batch = batch;
    this.builder = builder;
  }

  /** As on the command line. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The net of a key, or an exception that lists all. */
  static ReferenceNet of(String key) {
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

  /** Examples of a mini-batch if nobody says otherwise. */
  int batch(NetScale scale) {
    return scale.of(batch);
  }

  /** A new network, always with the same parameters. */
  Model build(NetScale scale) {
    return builder.apply(scale);
  }
}
