package io.idlalayer.modelcontroller.engine.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.configuration.ConfigurationJson;
import io.idlalayer.modelloader.network.PairwiseDots;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.dropout.AlphaDropout;
import org.deeplearning4j.nn.conf.dropout.Dropout;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.PreprocessorVertex;
import org.deeplearning4j.nn.conf.graph.ReshapeVertex;
import org.deeplearning4j.nn.conf.graph.ScaleVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.EmbeddingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PReLULayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.learning.config.AdaDelta;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.linalg.schedule.MapSchedule;
import org.nd4j.linalg.schedule.RampSchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.StepSchedule;

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
    return compiled(builder.list().layer(first).layer(last).build().toJson());
  }

  private static NetworkPlan compiled(String json) throws UncompilableException {
    return NetworkCompiler.compile(NetworkConfiguration.read(ConfigurationJson.parse(json)), 3);
  }

  private static NeuralNetConfiguration.Builder builder() {
    return new NeuralNetConfiguration.Builder().updater(new Adam(0.01));
  }

  private static void assertRefused(Layer first, String... words) {
    assertRefused(builder(), first, output(), words);
  }

  private static void assertRefused(
      NeuralNetConfiguration.Builder builder, Layer first, Layer last, String... words) {
    assertThatThrownBy(() -> compiled(builder, first, last))
        .isInstanceOf(UncompilableException.class)
        .message()
        .contains(words);
  }

  @Tag("natives")
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

  @Tag("natives")
  @Test
  void blocksOfDifferentUpdaters_haveTheirStatesOneAfterTheOther() throws Exception {
    NetworkPlan plan = compiled(builder(), dense().updater(new Sgd(0.1)).build(), output());
    assertThat(plan.parameters())
        .extracting(NetworkPlan.Parameters::stateFrom)
        .containsExactly(List.of(), List.of(), List.of(0, 10), List.of(8, 18));
  }

  @Tag("natives")
  @Test
  void whatIsNotKnown_isNamed() {
    assertRefused(
        new EmbeddingLayer.Builder().nIn(3).nOut(4).build(),
        "'layer0' is a EmbeddingLayer",
        "only");
    assertRefused(
        dense().dropOut(new AlphaDropout(0.5)).build(), "dropout AlphaDropout", "'layer0'");
    // A layer without a product of matrices whose dropout Deeplearning4j applies.
    assertRefused(
        new PReLULayer.Builder().inputShape(3).dropOut(new AlphaDropout(0.5)).build(),
        "dropout AlphaDropout",
        "'layer0'");
    assertRefused(
        builder().updater(new AdaDelta()), dense().build(), output(), "updater AdaDelta", "Adam");
    assertRefused(dense().activation(Activation.GELU).build(), "activation", "layer0");
    assertRefused(
        builder(),
        dense().build(),
        output(LossFunction.MEAN_ABSOLUTE_ERROR, Activation.IDENTITY),
        "loss LossMAE",
        "'layer1'");
    assertRefused(
        builder(), dense().build(), output(LossFunction.MSE, Activation.SOFTMAX), "loss LossMSE");
    assertRefused(dense().hasLayerNorm(true).build(), "layer normalization", "layer0");
    assertRefused(builder().miniBatch(false), dense().build(), output(), "miniBatch");
  }

  private static void assertWrong(String json, String... words) {
    assertThatThrownBy(() -> compiled(json))
        .isInstanceOf(WrongConfigurationException.class)
        .message()
        .contains(words);
  }

  /** Returns a configuration in which each match of a pattern is replaced. */
  private static String changed(NeuralNetConfiguration.Builder builder, String from, String to) {
    String json = builder.list().layer(dense().build()).layer(output()).build().toJson();
    String changed = json.replaceAll(from, to);
    assertThat(changed).isNotEqualTo(json);
    return changed;
  }

  /** Deeplearning4j takes 0 for it without a message. */
  @Tag("natives")
  @Test
  void aMissingConstant_isNamed() {
    for (String to : List.of("", "\"learningRate\" : \"NaN\",")) {
      assertWrong(
          changed(builder().updater(new Nesterovs(0.1, 0.9)), "\"learningRate\" : 0.1,", to),
          "the updater of layer 0 has no finite number 'learningRate'");
    }
    assertWrong(
        changed(builder().updater(new Nesterovs(0.1, 0.9)), ",\\s+\"momentum\" : 0.9", ""),
        "the updater of layer 0 has no finite number 'momentum'");
    assertWrong(
        changed(builder(), "\"beta1\" : 0.9,", ""),
        "the updater of layer 0 has no finite number 'beta1'");
    assertWrong(
        changed(builder().dropOut(0.5), "\"p\" : 0.5", "\"p\" : \"NaN\""),
        "the dropout of layer 0 has no finite number 'p'");
  }

  @Tag("natives")
  @Test
  void aFormerPenalty_isRefusedUnlessItIsNone() throws Exception {
    String place = "\"layerName\" : \"layer0\",";
    for (String name : List.of("l1", "l2", "l1Bias", "l2Bias")) {
      String penalized = changed(builder(), place, place + "\"" + name + "\" : 0.01,");
      assertThatThrownBy(() -> compiled(penalized))
          .isExactlyInstanceOf(UncompilableException.class)
          .message()
          .contains(
              "layer 0 has '" + name + "'",
              name.endsWith("Bias") ? "'regularizationBias'" : "'regularization'",
              name.startsWith("l1") ? "L1Regularization" : "L2Regularization",
              "0.01");
      for (String none : List.of("0.0", "\"NaN\"")) {
        String unpenalized = changed(builder(), place, place + "\"" + name + "\" : " + none + ",");
        assertThat(compiled(unpenalized).parameters()).hasSize(4);
      }
    }
  }

  private static ComputationGraphConfiguration.GraphBuilder graph() {
    return builder().graphBuilder().addInputs("in").addLayer("a", dense().build(), "in");
  }

  private static NetworkPlan compiled(ComputationGraphConfiguration.GraphBuilder builder)
      throws Exception {
    return compiled(builder.build().toJson());
  }

  private static void assertGraphRefused(
      ComputationGraphConfiguration.GraphBuilder builder, String... words) {
    assertThatThrownBy(() -> compiled(builder))
        .isInstanceOf(UncompilableException.class)
        .message()
        .contains(words);
  }

  /** Refuses a graph that an output layer ends behind its last vertex. */
  private static void assertRefused(
      ComputationGraphConfiguration.GraphBuilder builder, String last, String... words) {
    assertGraphRefused(builder.addLayer("out", output(), last).setOutputs("out"), words);
  }

  @Test
  void graph_hasItsNodesInAnOrderThatCanBeComputed() throws Exception {
    NetworkPlan plan =
        compiled(
            graph()
                .addLayer("b", new DenseLayer.Builder().nIn(4).nOut(4).dropOut(0.5).build(), "a")
                .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "b", "a")
                .addLayer("out", output(), "sum")
                .setOutputs("out"));
    assertThat(plan.nodes())
        .extracting(node -> node.layer().name() + " of " + node.sources())
        .containsExactly(
            "a of [(input)]",
            "b.dropout of [a]",
            "b of [b.dropout]",
            "sum of [b, a]",
            "out of [sum]");
  }

  @Test
  void dropout_ofLayersThatPassOverIt_isPassedOver() throws Exception {
    NetworkPlan plan =
        compiled(
            graph()
                .addLayer(
                    "normal",
                    new BatchNormalization.Builder()
                        .nIn(4)
                        .nOut(4)
                        .dropOut(new Dropout(0.5))
                        .build(),
                    "a")
                .addLayer("out", output(), "normal")
                .setOutputs("out"));
    assertThat(plan.nodes())
        .extracting(node -> node.layer().name())
        .containsExactly("a", "normal", "out");
  }

  @Test
  void whatIsNotKnownOfGraphs_isNamed() {
    assertGraphRefused(
        graph()
            .addLayer("out", output(), "a")
            .addLayer("loose", dense().nIn(4).build(), "a")
            .allowDisconnected(true)
            .setOutputs("out"),
        "'loose'",
        "not used");
    assertGraphRefused(
        graph()
            .addLayer("out", output(), "a")
            .addLayer("second", output(), "a")
            .setOutputs("out", "second"),
        "needs one output");
    assertRefused(
        graph().addVertex("scaled", new ScaleVertex(2), "a"),
        "scaled",
        "vertex 'scaled' is a ScaleVertex");
    assertRefused(
        builder()
            .graphBuilder()
            .addInputs("in", "other")
            .addLayer("a", dense().build(), "in")
            .addLayer("b", dense().build(), "other")
            .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "a", "b"),
        "sum",
        "needs one input");
  }

  @Test
  void partsAndDots_thatDoNotFit_areRefused() {
    assertRefused(
        graph().addVertex("part", new SubsetVertex(1, 4), "a"),
        "part",
        "subset from 1 to 4",
        "'part'");
    assertRefused(graph().addVertex("part", new SubsetVertex(2, 1), "a"), "part", "'part'");
    assertRefused(
        graph().addVertex("dots", new PairwiseDots(3), "a", "a"), "dots", "vectors of 3", "'dots'");
  }

  @Test
  void whatDoesNotFit_isRefused() {
    // Deeplearning4j looks at none of it before the first row.
    assertRefused(
        graph().addLayer("normal", new BatchNormalization.Builder().nIn(2).nOut(2).build(), "a"),
        "normal",
        "'normal' takes rows of 2 numbers, and gets 4");
    assertRefused(
        graph()
            .addVertex("image", new ReshapeVertex(-1, 1, 2, 2), "a")
            .addLayer(
                "filters", new ConvolutionLayer.Builder(1, 1).nIn(3).nOut(1).build(), "image"),
        "filters",
        "'filters' takes images of 3 channels, and gets 1");
    assertRefused(
        graph()
            .addVertex("image", new ReshapeVertex(-1, 1, 2, 2), "a")
            .addVertex(
                "other", new PreprocessorVertex(new FeedForwardToCnnPreProcessor(4, 1, 1)), "image")
            .addLayer(
                "filters", new ConvolutionLayer.Builder(1, 1).nIn(1).nOut(1).build(), "other"),
        "filters",
        "'other'",
        "is for images of");
    assertRefused(
        graph()
            .addVertex("less", new ElementWiseVertex(ElementWiseVertex.Op.Subtract), "a", "a", "a"),
        "less",
        "'less' subtracts, and has 3 inputs");
    assertRefused(
        builder()
            .graphBuilder()
            .addInputs("in")
            .addLayer("a.dropout", dense().build(), "in")
            .addLayer(
                "a", new DenseLayer.Builder().nIn(4).nOut(4).dropOut(0.5).build(), "a.dropout"),
        "a",
        "two layers have the name 'a.dropout'");
  }

  /** Deeplearning4j leaves out the first of four lines, of which a window takes one. */
  @Test
  void windowThatLeavesOutTheFirstPixels_isRefused() {
    assertRefused(
        graph()
            .addVertex("image", new ReshapeVertex(-1, 1, 4, 1), "a")
            .addLayer(
                "pooled",
                new SubsamplingLayer.Builder()
                    .kernelSize(1, 1)
                    .stride(4, 1)
                    .convolutionMode(ConvolutionMode.Same)
                    .build(),
                "image"),
        "pooled",
        "Same",
        "stride",
        "'pooled'");
  }

  @Test
  void pooling_withPaddingAsLargeAsTheKernel_isRefused() {
    for (SubsamplingLayer.PoolingType type :
        List.of(SubsamplingLayer.PoolingType.MAX, SubsamplingLayer.PoolingType.AVG)) {
      for (int padding : new int[] {2, 3}) {
        assertRefused(
            graph()
                .addVertex("image", new ReshapeVertex(-1, 1, 2, 2), "a")
                .addLayer(
                    "pooled",
                    new SubsamplingLayer.Builder(type)
                        .kernelSize(3, 2)
                        .stride(1, 1)
                        .padding(1, padding)
                        .build(),
                    "image"),
            "pooled",
            "layer 'pooled' pools with padding 1 x " + padding + " and a kernel of 3 x 2",
            "as large as the kernel");
      }
    }
  }

  @Tag("natives")
  @Test
  void compile_schedulesOfEpochs_areRefusedAndThoseOfIterationsTaken() throws Exception {
    ISchedule epochs = new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 3);
    ISchedule iterations = new StepSchedule(ScheduleType.ITERATION, 0.1, 0.5, 3);
    String advice = "use ScheduleType.ITERATION";
    for (IUpdater updater :
        List.of(new Sgd(epochs), new Adam(epochs), new Nesterovs(epochs, 0.9))) {
      assertRefused(builder().updater(updater), dense().build(), output(), "rate", advice);
    }
    assertRefused(
        builder().updater(new Nesterovs(0.1, epochs)),
        dense().build(),
        output(),
        "momentum",
        advice);
    assertRefused(dense().dropOut(new Dropout(epochs)).build(), "dropout", advice);
    for (ISchedule late :
        List.of(
            new StepSchedule(ScheduleType.EPOCH, 0.1, 0.5, 5_000),
            new MapSchedule(ScheduleType.EPOCH, Map.of(0, 0.1, 5_000, 0.01, 5_001, 0.1)))) {
      assertRefused(
          builder().updater(new Sgd(late)), dense().build(), output(), "learning rate", advice);
    }
    assertRefused(
        builder().updater(new Sgd(new RampSchedule(iterations, 10))),
        dense().build(),
        output(),
        "schedule RampSchedule of the learning rate is not known");
    assertThat(
            compiled(
                    builder().updater(new Nesterovs(iterations, iterations)),
                    dense().build(),
                    output())
                .parameters())
        .hasSize(4);
  }
}
