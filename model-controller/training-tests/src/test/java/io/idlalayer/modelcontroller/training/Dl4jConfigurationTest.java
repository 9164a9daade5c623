package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.deeplearning4j.Deeplearning4j;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelloader.network.LibraryNetworks;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.ModelNetwork;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayInputStream;
import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.RnnOutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("natives")
final class Dl4jConfigurationTest {
  private static final SampleSchema SCHEMA = Trainings.classes(2, 2);

  private static ModelSpec spec(SampleSchema schema, ModelSpec.Network network) {
    return new ModelSpec(schema, network, Trainings.ADAM, false);
  }

  private static String problem(SampleSchema schema, ModelSpec.Network network) {
    return new Deeplearning4j().problem(spec(schema, network)).orElse("none");
  }

  private static String problem(String json) {
    return problem(SCHEMA, new ModelSpec.Network.Dl4jJson(json));
  }

  private static ComputationGraphConfiguration.GraphBuilder inputs(String... names) {
    return TestNetworks.builder(Trainings.ADAM).graphBuilder().addInputs(names);
  }

  @Test
  void problems_goodNetworks_haveNone() {
    assertThat(problem(SCHEMA, TestNetworks.stack(SCHEMA, Trainings.ADAM))).isEqualTo("none");
    assertThat(problem(SCHEMA, TestNetworks.graph(TestNetworks.residual(SCHEMA, Trainings.ADAM))))
        .isEqualTo("none");
    SampleSchema images = Trainings.classes(64, 2);
    assertThat(problem(images, TestNetworks.convolutions(images, Trainings.ADAM)))
        .isEqualTo("none");
    assertThat(problem(SCHEMA, new ModelSpec.Network.Mlp(List.of(3)))).isEqualTo("none");
  }

  @Test
  void problems_noConfiguration_saysWhatIsExpected() {
    assertThat(problem("{\n\"confs\": [")).contains("is not JSON").contains("line 2");
    for (String neither : List.of("{}", "[]", "3", "", "{\"confs\":[],\"vertices\":{}}")) {
      assertThat(problem(neither))
          .as(neither)
          .contains("a MultiLayerConfiguration has 'confs'")
          .contains("toJson()");
    }
    assertThat(problem("{\"confs\": []}")).contains("has no layers");
    assertThat(problem("{\"confs\": [{\"layer\": 3}]}")).contains("cannot build the network");
    assertThat(problem("{\"vertices\": {\"a\": 3}}")).contains("cannot build the network");
  }

  @Test
  void problems_graphWithSeveralInputsOrOutputs_isRefused() {
    assertThat(
            problem(
                SCHEMA,
                TestNetworks.graph(
                    inputs("a", "b")
                        .addVertex("both", new MergeVertex(), "a", "b")
                        .addLayer("out", TestNetworks.output(SCHEMA, 4), "both")
                        .setOutputs("out"))))
        .isEqualTo("the graph has 2 inputs (a, b): the features are one array");
    assertThat(
            problem(
                SCHEMA,
                TestNetworks.graph(
                    TestNetworks.residual(SCHEMA, Trainings.ADAM)
                        .addLayer("more", TestNetworks.output(SCHEMA, 16), "sum")
                        .setOutputs("out", "more"))))
        .isEqualTo("the graph has 2 outputs (out, more): there is one label");
  }

  @Test
  void problems_graphWithoutOutputLayerOfTheLabel_isRefused() {
    SampleSchema three = Trainings.classes(2, 3);
    assertThat(problem(three, TestNetworks.graph(TestNetworks.residual(SCHEMA, Trainings.ADAM))))
        .isEqualTo(
            "vertex 'out' of the DL4J configuration must be an output layer with 3 outputs, as the"
                + " label asks for");
    assertThat(
            problem(
                SCHEMA,
                TestNetworks.graph(
                    inputs("in")
                        .addLayer("wide", TestNetworks.dense(2, 2), "in")
                        .setOutputs("wide"))))
        .contains("vertex 'wide'", "must be an output layer");
  }

  @Test
  void problems_otherFeatureWidth_isRefused() {
    SampleSchema five = Trainings.classes(5, 2);
    assertThat(problem(five, TestNetworks.graph(TestNetworks.residual(SCHEMA, Trainings.ADAM))))
        .isEqualTo("vertex 'first' of the DL4J configuration takes 2 inputs, the features are 5");
    assertThat(problem(five, TestNetworks.convolutions(SCHEMA, Trainings.ADAM)))
        .isEqualTo("vertex 'first' of the DL4J configuration takes 64 inputs, the features are 5");
    assertThat(problem(five, TestNetworks.stack(SCHEMA, Trainings.ADAM)))
        .isEqualTo("the first layer of the DL4J configuration takes 2 inputs, the features are 5");
  }

  @Test
  void problems_networkThatCannotPredict_isRefused() {
    assertThat(
            problem(
                SCHEMA,
                TestNetworks.graph(
                    inputs("in")
                        .addLayer("first", TestNetworks.dense(2, 4), "in")
                        .addLayer(
                            "out", new RnnOutputLayer.Builder().nIn(4).nOut(2).build(), "first")
                        .setOutputs("out"))))
        .contains("does not take rows of 2 features");
  }

  /** Deeplearning4j would end the process. */
  @Test
  void problems_maximumOfPaddingOnly_isRefused() {
    SampleSchema images = Trainings.classes(16, 2);
    SubsamplingLayer pooling =
        new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
            .name("pooled")
            .kernelSize(3, 2)
            .stride(1, 1)
            .padding(2, 2)
            .build();
    InputType shape = InputType.convolutionalFlat(4, 4, 1);
    String stack =
        TestNetworks.builder(Trainings.ADAM)
            .list()
            .layer(pooling)
            .layer(TestNetworks.output(images, 0))
            .setInputType(shape)
            .build()
            .toJson();
    ModelSpec.Network graph =
        TestNetworks.graph(
            inputs("in")
                .setInputTypes(shape)
                .addLayer("pooled", pooling, "in")
                .addLayer("out", TestNetworks.output(images, 0), "pooled")
                .setOutputs("out"));
    for (ModelSpec.Network each : List.of(new ModelSpec.Network.Dl4jJson(stack), graph)) {
      assertThat(problem(images, each))
          .contains("layer 'pooled'", "padding [2, 2] and kernel [3, 2]", "must be smaller");
    }
  }

  @Test
  void train_graphOfConvolutions_learnsFromFlatRows() throws Exception {
    SampleSchema images = Trainings.classes(64, 2);
    ModelSpec spec = spec(images, TestNetworks.convolutions(images, Trainings.ADAM));
    List<Sample> unseen = Trainings.bars(200, 4);
    try (Trainer trainer = Trainings.dl4j(spec)) {
      TrainingResult result =
          trainer.train(new TrainingRequest(null, Trainings.batch(1, Trainings.bars(256, 3)), 7));
      byte[] zip = result.model().files().get(ModelArtifact.NETWORK_FILE);
      try (Dl4jModel model = Dl4jModel.load(result.model())) {
        assertThat(Trainings.accuracy(model, unseen)).isGreaterThan(0.9);
      }
      ComputationGraph theirs =
          ModelSerializer.restoreComputationGraph(new ByteArrayInputStream(zip), true);
      assertThat(theirs.getConfiguration().toJson()).doesNotContain("RowWeighted");
      LibraryNetworks.free(theirs);
    }
  }

  @Test
  void create_seedOfTheConfiguration_isReplacedByThatOfTheRun() throws Exception {
    ModelSpec spec =
        spec(SCHEMA, TestNetworks.graph(TestNetworks.residual(SCHEMA, Trainings.ADAM)));
    try (ModelNetwork one = LibraryBuilders.create(spec, 1);
        ModelNetwork same = LibraryBuilders.create(spec, 1);
        ModelNetwork other = LibraryBuilders.create(spec, 2)) {
      assertThat(one.encode()).isEqualTo(same.encode()).isNotEqualTo(other.encode());
    }
  }
}
