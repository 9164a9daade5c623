package io.idlalayer.modelcontroller.training.placed;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Deconvolution2D;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DepthwiseConvolution2D;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.layers.SeparableConvolution2D;
import org.deeplearning4j.nn.conf.layers.misc.ElementWiseMultiplicationLayer;
import org.deeplearning4j.nn.conf.layers.recurrent.SimpleRnn;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Gradients that live from a backward pass to the update: what is freed is poisoned. */
class BriefGradientsTest {
  private static final int STEPS = 3;

  private record Specimen(MultiLayerNetwork network, IntFunction<Nets.Batch> batches) {}

  private static MultiLayerNetwork network(
      NeuralNetConfiguration.ListBuilder list, InputType input) {
    MultiLayerNetwork network = new MultiLayerNetwork(list.setInputType(input).build());
    network.init();
    return network;
  }

  private static NeuralNetConfiguration.ListBuilder list() {
    return Nets.base(new Adam(0.01)).l2(1e-3).list();
  }

  private static Specimen flat(Layer layer) {
    return new Specimen(
        network(
            list()
                .layer(new DenseLayer.Builder().nOut(14).activation(Activation.TANH).build())
                .layer(layer)
                .layer(Nets.output()),
            InputType.feedForward(12)),
        Nets::flat);
  }

  private static Specimen image(Layer layer) {
    return new Specimen(
        network(
            list()
                .layer(new ConvolutionLayer.Builder(3, 3).nOut(3).build())
                .layer(layer)
                .layer(Nets.output()),
            InputType.convolutional(Nets.SIDE, Nets.SIDE, 1)),
        Nets::images);
  }

  private static Specimen series(Layer layer) {
    return new Specimen(
        network(
            list()
                .layer(layer)
                .layer(
                    new RnnOutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                        .activation(Activation.SOFTMAX)
                        .nOut(Nets.CLASSES)
                        .hasBias(false)
                        .build()),
            InputType.recurrent(5)),
        Nets::series);
  }

  /** Settings that change what a backward pass writes. */
  private static Map<String, Specimen> all() {
    Map<String, Specimen> all = new LinkedHashMap<>();
    all.put("dense, no bias", flat(new DenseLayer.Builder().nOut(9).hasBias(false).build()));
    all.put("dense, layer norm", flat(new DenseLayer.Builder().nOut(9).hasLayerNorm(true).build()));
    all.put(
        "dense, layer norm, no bias",
        flat(new DenseLayer.Builder().nOut(9).hasLayerNorm(true).hasBias(false).build()));
    all.put("locked norm", flat(new BatchNormalization.Builder().lockGammaBeta(true).build()));
    all.put("norm by deviation", flat(new BatchNormalization.Builder().useLogStd(true).build()));
    all.put("norm of images", image(new BatchNormalization.Builder().useLogStd(true).build()));
    all.put(
        "locked norm of images",
        image(new BatchNormalization.Builder().lockGammaBeta(true).build()));
    all.put(
        "convolution, no bias",
        image(new ConvolutionLayer.Builder(3, 3).nOut(3).hasBias(false).build()));
    all.put(
        "deconvolution, no bias",
        image(new Deconvolution2D.Builder(2, 2).nOut(2).hasBias(false).build()));
    all.put(
        "separable, no bias",
        image(new SeparableConvolution2D.Builder(3, 3).nOut(4).hasBias(false).build()));
    all.put(
        "separable, depth 2",
        image(new SeparableConvolution2D.Builder(3, 3).nOut(4).depthMultiplier(2).build()));
    all.put("prelu of images", image(new PReLULayer.Builder().inputShape(3, 8, 8).build()));
    all.put("simple rnn", series(new SimpleRnn.Builder().nOut(7).build()));
    return all;
  }

  static Stream<String> layers() {
    return all().keySet().stream();
  }

  private static void compare(Specimen plain, Specimen specimen, PlacedMemory memory, int kept)
      throws Exception {
    try (PlacedNetwork placed = PlacedNetwork.of(specimen.network(), memory)) {
      for (int step = 0; step < STEPS; step++) {
        PlacedNetworkTest.fit(plain.network(), plain.batches().apply(step));
        PlacedNetworkTest.fit(placed, specimen.batches().apply(step));
        assertThat(specimen.network().score()).isFinite().isEqualTo(plain.network().score());
        if (kept > 0) {
          assertThat(memory.memory().objects()).hasSize(kept);
        }
      }
    }
    assertThat(specimen.network().params().dup().data().asFloat())
        .isEqualTo(plain.network().params().dup().data().asFloat());
    assertThat(specimen.network().getUpdater().getStateViewArray().dup().data().asFloat())
        .isEqualTo(plain.network().getUpdater().getStateViewArray().dup().data().asFloat());
    assertThat(memory.memory().objects()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("layers")
  void fit_everyLayer_writesItsGradientsCompletely(String name) throws Exception {
    WatchingPolicy policy = new WatchingPolicy(PlacementName.CACHED_ARRAYS.create());
    try (PlacedMemory memory = PlacedNetworkTest.memory(policy, 4096, null)) {
      compare(all().get(name), all().get(name), memory, 0);
      assertThat(policy.broken).isEmpty();
    }
  }

  /** Parameters and state of three layers; the gradients of the one that may not write them all. */
  @ParameterizedTest
  @ValueSource(longs = {2048, 65_536})
  void ofOtherLayers_areKept(long fastBytes) throws Exception {
    try (PlacedMemory memory =
        PlacedNetworkTest.memory(PlacementName.CACHED_ARRAYS, fastBytes, null)) {
      compare(depthwise(), depthwise(), memory, 7);
    }
    try (PlacedMemory memory =
        PlacedNetworkTest.memory(PlacementName.CACHED_ARRAYS, fastBytes, null)) {
      compare(products(), products(), memory, 7);
    }
    try (PlacedMemory memory =
        PlacedNetworkTest.memory(PlacementName.CACHED_ARRAYS, fastBytes, null)) {
      Specimen plain = flat(new DenseLayer.Builder().nOut(9).build());
      compare(plain, flat(new DenseLayer.Builder().nOut(9).build()), memory, 6);
    }
  }

  private static Specimen depthwise() {
    return image(new DepthwiseConvolution2D.Builder().kernelSize(3, 3).depthMultiplier(2).build());
  }

  private static Specimen products() {
    return flat(new ElementWiseMultiplicationLayer.Builder().nIn(14).nOut(14).build());
  }
}
