package io.idlalayer.jobs.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/** Application files as a start reads them. */
@Tag("natives")
final class TrainingChecksTest {
  private static final String GOOD =
      """
      name: app
      input:
        format: csv
        columns: [a, b, y]
        features: [a, b]
        label: y
        classes: 2
      """;
  private static final String WITH_IDS =
      """
      name: app
      input:
        features: [a]
        ids: [user, item, {name: basket, at-most: 50}]
        label: y
        classes: 2
      """;

  @TempDir Path folder;

  private ApplicationSettings read(String text) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(file, text);
    return ApplicationFileReader.read(file, name -> null, new TrainingChecks());
  }

  private List<String> problems(String text) {
    SettingsException refused = catchThrowableOfType(SettingsException.class, () -> read(text));
    assertThat(refused).as("the file is accepted").isNotNull();
    return refused.problems().stream()
        .map(problem -> problem.line() + ": " + problem.key() + ": " + problem.message())
        .toList();
  }

  @Test
  void read_networkFile_isChecked() throws Exception {
    String model = "model: {type: dl4j-json, file: net.json}\n";
    Files.writeString(folder.resolve("net.json"), residual(2).toJson());
    assertThat(read(GOOD + model).model().network())
        .isEqualTo(new ModelSpec.Network.Dl4jJson(residual(2).toJson()));
    Files.writeString(folder.resolve("net.json"), residual(3).toJson());
    assertThat(problems(GOOD + "seed: soon\n" + model))
        .hasSize(2)
        .anySatisfy(problem -> assertThat(problem).contains("seed"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith("9: model.file: " + folder)
                    .endsWith("net.json: layer 'first' takes rows of 3 numbers, and gets 2"));
    Files.writeString(folder.resolve("net.json"), "{}");
    assertThat(problems(GOOD + model))
        .singleElement()
        .asString()
        .contains("net.json: it is not a DL4J configuration");
  }

  @Test
  void read_networkFile_isCheckedByTheEngineThatIsAskedFor() throws Exception {
    String model = "model: {type: dl4j-json, file: net.json}\n";
    Files.writeString(
        folder.resolve("net.json"),
        residual(2).toJson().replace("nn.conf.layers.DenseLayer", "nn.DenseLayer"));
    assertThat(read(GOOD + model).engine()).isEqualTo(EngineName.AUTO);
    assertThat(problems(GOOD + "seed: soon\n" + model + "training: {engine: deeplearning4j}\n"))
        .hasSize(2)
        .anySatisfy(problem -> assertThat(problem).contains("seed"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith("9: model.file: " + folder)
                    .contains("net.json: Deeplearning4j cannot read the new network: "));
  }

  @Test
  void read_fileWithoutALearningRate_isRefused() throws Exception {
    String json = residual(2).toJson();
    String without = json.replace("learningRate\"", "learning-rate\"");
    assertThat(without).isNotEqualTo(json);
    Files.writeString(folder.resolve("net.json"), without);
    assertThat(problems(GOOD + "model: {type: dl4j-json, file: net.json}\n"))
        .singleElement()
        .asString()
        .contains("net.json: the updater of layer 'first' has no finite number 'learningRate'");
  }

  @Test
  void read_sameDiffFile_isChecked() throws Exception {
    SameDiff graph = SameDiff.create();
    graph
        .placeHolder("features", DataType.FLOAT, -1, 2)
        .mmul("logits", graph.var("w", Nd4j.ones(2, 2)));
    graph.save(folder.resolve("net.fb").toFile(), false);
    byte[] bytes = Files.readAllBytes(folder.resolve("net.fb"));
    String model = "model: {type: samediff, file: net.fb%s}\n";
    assertThat(read(GOOD + model.formatted("")).model().network())
        .isEqualTo(new ModelSpec.Network.SameDiffGraph(bytes, "features", "logits"));
    assertThat(problems(GOOD + model.formatted("") + "publishing: {onnx: true}\n"))
        .singleElement()
        .asString()
        .contains("publishing.onnx: the network is not written as ONNX: a SameDiff graph");
    assertThat(problems(GOOD + model.formatted(", output: scores")))
        .singleElement()
        .asString()
        .contains("net.fb: it has no variable 'scores' (model.output); its outputs are [logits]");
    assertThat(problems(GOOD + model.formatted(", inputs: a")))
        .singleElement()
        .asString()
        .contains("model.inputs: unknown key");
    Files.write(folder.resolve("net.fb"), Arrays.copyOf(bytes, bytes.length / 2));
    assertThat(problems(GOOD + model.formatted("")))
        .singleElement()
        .asString()
        .contains("net.fb: it is not a complete SameDiff graph");
  }

  private static ComputationGraphConfiguration residual(int inputs) {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .graphBuilder()
        .addInputs("in")
        .addLayer("first", new DenseLayer.Builder().nIn(inputs).nOut(4).build(), "in")
        .addLayer("block", new DenseLayer.Builder().nIn(4).nOut(4).build(), "first")
        .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "first", "block")
        .addLayer("out", new OutputLayer.Builder().nIn(4).nOut(2).build(), "sum")
        .setOutputs("out")
        .build();
  }

  /** The network's input is the number, then the three vectors. */
  @Test
  void read_networkFile_isCheckedWithVectors() throws Exception {
    String model = "embeddings: {dim: 2}\nmodel: {type: dl4j-json, file: net.json}\n";
    Files.writeString(folder.resolve("net.json"), stack(7));
    assertThat(read(WITH_IDS + model).engine()).isEqualTo(EngineName.AUTO);
    Files.writeString(folder.resolve("net.json"), stack(1));
    assertThat(problems(WITH_IDS + model)).singleElement().asString().contains("net.json: ");
  }

  private static String stack(int inputs) {
    return new NeuralNetConfiguration.Builder()
        .list()
        .layer(new DenseLayer.Builder().nIn(inputs).nOut(4).build())
        .layer(new OutputLayer.Builder().nIn(4).nOut(2).build())
        .build()
        .toJson();
  }

  @Test
  void read_tensorsOfANetworkThatTheEngineDoesNotTrain_arePlacedNowhere() throws Exception {
    SameDiff graph = SameDiff.create();
    graph
        .placeHolder("features", DataType.FLOAT, -1, 2)
        .mmul("logits", graph.var("w", Nd4j.ones(2, 2)));
    graph.save(folder.resolve("net.fb").toFile(), false);
    assertThat(
            problems(
                GOOD
                    + "model: {type: samediff, file: net.fb}\n"
                    + "memory: {tensors: {fast-bytes: 1MiB}}\n"))
        .singleElement()
        .asString()
        .contains(
            "memory.tensors.fast-bytes: only iDlaLayer's engine places tensors, and it cannot");
  }
}
