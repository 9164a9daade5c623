package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.deeplearning4j.Deeplearning4j;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpec.Network.SameDiffGraph;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

final class SameDiffFileTest {
  private static final SampleSchema SCHEMA = Trainings.classes(2, 2);

  private static ModelSpec spec(SampleSchema schema, SameDiffGraph network) {
    return new ModelSpec(schema, network, Trainings.ADAM, true);
  }

  private static String problem(SameDiffGraph network) {
    return new Deeplearning4j().problem(spec(SCHEMA, network)).orElse("none");
  }

  private static String problem(Consumer<SameDiff> change) {
    SameDiff graph = SameDiffGraphs.residual(SCHEMA);
    change.accept(graph);
    return problem(SameDiffGraphs.network(graph));
  }

  @Tag("natives")
  @Test
  void problems_goodGraph_hasNone() {
    assertThat(problem(graph -> {})).isEqualTo("none");
  }

  @Tag("natives")
  @Test
  void problems_unknownName_namesTheExistingOnes() {
    byte[] graph = SameDiffGraphs.saved(SameDiffGraphs.residual(SCHEMA));
    assertThat(problem(new SameDiffGraph(graph, "features", "logits")))
        .isEqualTo("it has no placeholder 'features' (model.features); its placeholders are [in]");
    assertThat(problem(new SameDiffGraph(graph, "w1", "logits")))
        .startsWith("it has no placeholder 'w1'");
    assertThat(problem(new SameDiffGraph(graph, "in", "scores")))
        .isEqualTo("it has no variable 'scores' (model.output); its outputs are [logits]");
  }

  @Tag("natives")
  @Test
  void problems_otherWidths_areRefused() {
    assertThat(problem(SameDiffGraphs.network(SameDiffGraphs.residual(Trainings.classes(5, 2)))))
        .isEqualTo("its placeholder 'in' is of shape [-1, 5], the features are of shape [-1, 2]");
    assertThat(problem(SameDiffGraphs.network(SameDiffGraphs.residual(Trainings.classes(2, 3)))))
        .isEqualTo("its output for 2 rows is of shape [2, 3], the label asks for [2, 2]");
  }

  @Tag("natives")
  @Test
  void problems_additionalPlaceholder_isRefused() {
    SameDiff graph = SameDiffGraphs.residual(SCHEMA);
    graph.getVariable("logits").add("total", graph.placeHolder("other", DataType.FLOAT, -1, 2));
    assertThat(problem(new SameDiffGraph(SameDiffGraphs.saved(graph), "in", "total")))
        .startsWith("it does not take rows of 2 features")
        .contains("other");
  }

  @Tag("natives")
  @Test
  void problems_reservedNames_areRefused() {
    assertThat(problem(graph -> graph.getVariable("w1").rename("idla_labels")))
        .startsWith("its variable 'idla_labels' is called like those that are added");
  }

  @Tag("natives")
  @Test
  void problems_graphWithoutVariables_isRefused() {
    assertThat(
            problem(
                graph -> {
                  for (String name : new String[] {"w1", "b1", "w2", "w3", "b3"}) {
                    graph.getVariable(name).convertToConstant();
                  }
                }))
        .startsWith("it has no variables to train");
  }

  /** In this version of ND4J the gradient of gather is a loop that fails. */
  @Tag("natives")
  @Test
  void problems_graphThatCannotBeTrained_isRefused() {
    SameDiff graph = SameDiff.create();
    SDVariable chosen =
        graph.gather(SameDiffGraphs.values(graph, "all", 3, 2), new int[] {2, 0}, 0);
    graph.placeHolder("in", DataType.FLOAT, -1, 2).mmul("logits", chosen);
    assertThat(problem(SameDiffGraphs.network(graph))).startsWith("it cannot be trained: ");
  }

  @Tag("natives")
  @Test
  void problems_damagedOrOtherFile_isRefused() {
    byte[] whole = SameDiffGraphs.saved(SameDiffGraphs.residual(SCHEMA));
    for (int length : new int[] {0, 1, 8, 100, whole.length / 2, whole.length - 100}) {
      assertThat(problem(new SameDiffGraph(Arrays.copyOf(whole, length), "in", "logits")))
          .as("%d of %d bytes", length, whole.length)
          .startsWith("it is not a complete SameDiff graph");
    }
    byte[] json = "{\"confs\": []}".getBytes(StandardCharsets.UTF_8);
    assertThat(problem(new SameDiffGraph(json, "in", "logits")))
        .startsWith("it is not a complete SameDiff graph");
  }

  @Test
  void decode_specificationWithGraph_isEqual() throws Exception {
    byte[] bytes = {1, 2, 3};
    SameDiffGraph graph = new SameDiffGraph(bytes, "in", "logits");
    assertThat(graph)
        .isEqualTo(new SameDiffGraph(bytes.clone(), "in", "logits"))
        .hasSameHashCodeAs(new SameDiffGraph(bytes.clone(), "in", "logits"))
        .isNotEqualTo(new SameDiffGraph(new byte[] {1, 2, 4}, "in", "logits"))
        .isNotEqualTo(new SameDiffGraph(bytes, "x", "logits"))
        .isNotEqualTo(new SameDiffGraph(bytes, "in", "y"));
    assertThat(graph.toString()).contains("3 bytes", "in to logits");
    ModelSpec spec = spec(SCHEMA, graph);
    assertThat(ModelSpecJson.decode(ModelSpecJson.encode(spec))).isEqualTo(spec);
  }

  @Test
  void decode_graphOfManyMegabytes_isEqual() throws Exception {
    byte[] bytes = new byte[16 << 20];
    Arrays.fill(bytes, (byte) 7);
    ModelSpec spec = spec(SCHEMA, new SameDiffGraph(bytes, "in", "logits"));
    assertThat(ModelSpecJson.decode(ModelSpecJson.encode(spec)).equals(spec)).isTrue();
  }

  @Tag("natives")
  @Test
  void create_anySeed_predictsTheSoftmaxOfItsOwnValues() {
    ModelSpec spec = spec(SCHEMA, SameDiffGraphs.network(SameDiffGraphs.residual(SCHEMA)));
    SameDiff graph = SameDiffGraphs.residual(SCHEMA);
    graph.nn.softmax("probabilities", graph.getVariable("logits"), 1);
    try (ArrayNetwork network = LibraryBuilders.create(spec, 3);
        ArrayNetwork other = LibraryBuilders.create(spec, 4);
        INDArray rows = Nd4j.ones(3, 2);
        INDArray predicted = network.output(rows);
        INDArray again = other.output(rows)) {
      INDArray expected = graph.output(Map.of("in", rows), "probabilities").get("probabilities");
      assertThat(predicted.toFloatMatrix()).isEqualTo(expected.toFloatMatrix());
      assertThat(again.toFloatMatrix()).isEqualTo(expected.toFloatMatrix());
    }
  }

  @Tag("natives")
  @Test
  void decode_stateOfAnotherGraphOrFormat_isRefused() throws Exception {
    SameDiffGraph network = SameDiffGraphs.network(SameDiffGraphs.residual(SCHEMA));
    ModelSpec spec = spec(SCHEMA, network);
    SampleSchema wide = Trainings.classes(3, 2);
    ModelSpec other = spec(wide, SameDiffGraphs.network(SameDiffGraphs.residual(wide)));
    byte[] state;
    try (ArrayNetwork theirs = LibraryBuilders.create(other, 1)) {
      state = theirs.encode();
    }
    assertThatThrownBy(() -> NetworkFactory.decode(spec, state))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(" of w1 of shape [3, 16], the graph of shape [2, 16]");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry("samediff.json"));
      zip.write(
          "{\"formatVersion\":2,\"iterations\":0,\"arrays\":[]}".getBytes(StandardCharsets.UTF_8));
      zip.putNextEntry(new ZipEntry("arrays.bin"));
    }
    assertThatThrownBy(() -> NetworkFactory.decode(spec, bytes.toByteArray()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("format 2");
    assertThatThrownBy(() -> NetworkFactory.decode(spec, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("samediff.json");
  }
}
