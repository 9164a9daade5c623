package io.idlalayer.modelcontroller.engine.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.Dropout;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.EmbeddingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

final class NetworkCompilerTest {
  private static DenseLayer.Builder dense() {
    return new DenseLayer.Builder().nIn(3).nOut(4).activation(Activation.RELU);
  }

  private static OutputLayer output(LossFunction loss, Activation activation) {
    return new OutputLayer.Builder(loss).nIn(4).nOut(2).activation(activation).build();
  }

  private static OutputLayer output() {
    return output(LossFunction.MCXENT, Activation.SOFTMAX);
  }

  private static NetworkPlan compiled(
      NeuralNetConfiguration.Builder builder, Layer first, Layer last) throws Exception {
    MultiLayerNetwork network =
        new MultiLayerNetwork(builder.list().layer(first).layer(last).build());
    network.init();
    return NetworkCompiler.compile(network);
  }

  private static NeuralNetConfiguration.Builder builder() {
    return new NeuralNetConfiguration.Builder().updater(new Adam(0.01));
  }

  private static void assertRefused(
      NeuralNetConfiguration.Builder builder, Layer first, Layer last, String... words) {
    assertThatThrownBy(() -> compiled(builder, first, last))
        .isInstanceOf(UncompilableException.class)
        .message()
        .contains(words);
  }

  @Test
  void plan_hasParametersAndStatesInDeeplearning4jsOrder() throws Exception {
    NetworkPlan plan = compiled(builder(), dense().build(), output());
    assertThat(plan.inputs()).isEqualTo(3);
    assertThat(plan.outputs()).isEqualTo(2);
    assertThat(plan.parameters())
        .extracting(NetworkPlan.Parameters::name)
        .containsExactly("layer0.W", "layer0.b", "layer1.W", "layer1.b");
    // One block of 26 parameters: all first moments, then all second moments.
    assertThat(plan.parameters())
        .extracting(NetworkPlan.Parameters::stateFrom)
        .containsExactly(List.of(0, 26), List.of(12, 38), List.of(16, 42), List.of(24, 50));
    assertThat(plan.stateLength()).isEqualTo(52);
  }

  @Test
  void blocksOfDifferentUpdaters_haveTheirStatesOneAfterTheOther() throws Exception {
    NetworkPlan plan = compiled(builder(), dense().updater(new Sgd(0.1)).build(), output());
    assertThat(plan.parameters())
        .extracting(NetworkPlan.Parameters::stateFrom)
        .containsExactly(List.of(), List.of(), List.of(0, 10), List.of(8, 18));
  }

  @Test
  void whatIsNotKnown_isNamed() {
    assertRefused(
        builder(),
        new EmbeddingLayer.Builder().nIn(3).nOut(4).build(),
        output(),
        "'layer0' is a EmbeddingLayer",
        "only");
    assertRefused(
        builder(), dense().dropOut(new Dropout(0.5)).build(), output(), "dropout", "'layer0'");
    assertRefused(
        builder().updater(new AdaDelta()), dense().build(), output(), "updater AdaDelta", "Adam");
    assertRefused(
        builder(), dense().activation(Activation.GELU).build(), output(), "activation", "layer0");
    assertRefused(
        builder(),
        dense().build(),
        output(LossFunction.MEAN_ABSOLUTE_ERROR, Activation.IDENTITY),
        "loss LossMAE",
        "'layer1'");
    assertRefused(
        builder(), dense().build(), output(LossFunction.MSE, Activation.SOFTMAX), "loss LossMSE");
    assertRefused(
        builder(), dense().hasLayerNorm(true).build(), output(), "layer normalization", "layer0");
    assertRefused(builder().miniBatch(false), dense().build(), output(), "miniBatch");
  }
}
