package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.ModelNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Predictions of events on standard input. */
final class ModelsPredictTest {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path models;
  @TempDir Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final InputStream before = System.in;
  private SortedMap<String, byte[]> files = new TreeMap<>();

  @BeforeEach
  void publishJson() throws IOException {
    files =
        publish(List.of("x"), "\"input.format\":\"json\"", new ModelSpec.Network.Mlp(List.of(3)));
  }

  @AfterEach
  void restore() {
    System.setIn(before);
    threads.shutdownNow();
  }

  private SortedMap<String, byte[]> publish(
      List<String> features, String settings, ModelSpec.Network network) throws IOException {
    SampleSchema schema =
        new SampleSchema(
            List.of("x", "label"),
            features.stream().map(SampleSchema.DenseFeature::of).toList(),
            List.of(),
            new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")),
            null);
    ModelSpec spec =
        new ModelSpec(
            schema, network, new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0), true);
    SortedMap<String, byte[]> made = new TreeMap<>();
    made.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    made.put(
        ModelArtifact.SCALER_FILE, FeatureScaler.empty(schema.denseWidth(), true, false).encode());
    try (ModelNetwork created = NetworkFactory.create(spec, 1)) {
      made.put(ModelArtifact.NETWORK_FILE, created.encode());
    }
    new ModelStore(models, InstantSource.system())
        .claim("app", 0)
        .publish(
            new ModelDraft(
                "app",
                0,
                1,
                0,
                "",
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(
                    Map.of(
                        SettingsIdentity.ATTRIBUTE,
                        "{\"formatVersion\":1,\"settings\":{" + settings + "}}")),
                made));
    return made;
  }

  private int predict(InputStream in, String... more) {
    System.setIn(in);
    CommandLine line = Idla.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    String[] arguments = new String[5 + more.length];
    List<String> first = List.of("models", "predict", "app", "--models-dir", models.toString());
    first.toArray(arguments);
    System.arraycopy(more, 0, arguments, 5, more.length);
    return line.execute(arguments);
  }

  private int predict(String in, String... more) {
    return predict(new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)), more);
  }

  private List<JsonNode> answers() {
    return out.toString()
        .lines()
        .map(
            line -> {
              try {
                return JSON.readTree(line);
              } catch (IOException broken) {
                throw new AssertionError(line, broken);
              }
            })
        .toList();
  }

  @Test
  void predict_events_answersEachWithWhatTheModelSays() throws Exception {
    assertThat(predict("{\"x\":0.5}\n\n{\"x\":-1,\"label\":\"yes\"}\n"))
        .as(err.toString())
        .isZero();
    assertThat(answers()).extracting(answer -> answer.path("line").asInt()).containsExactly(1, 3);
    try (Dl4jModel model = Dl4jModel.load(new ModelArtifact(files))) {
      float[] expected = model.predict(List.of(Sample.of(new float[] {0.5f}, 0)))[0];
      JsonNode answer = answers().get(0);
      assertThat(answer.path("version").asLong()).isEqualTo(1);
      assertThat(answer.path("prediction").asText())
          .isEqualTo(expected[1] > expected[0] ? "yes" : "no");
      assertThat(answer.path("probabilities").path("no").floatValue())
          .isCloseTo(expected[0], Offset.offset(1e-6f));
      assertThat(answer.path("probabilities").path("yes").floatValue())
          .isCloseTo(expected[1], Offset.offset(1e-6f));
    }
  }

  @Test
  void predict_rowsFolder_isMadeOrRefused() throws Exception {
    Path rows = folder.resolve("cache/rows");
    assertThat(predict("{\"x\":0.5}\n", "--rows-folder", rows.toString()))
        .as(err.toString())
        .isZero();
    assertThat(rows).isEmptyDirectory();
    Path file = Files.createFile(folder.resolve("a-file"));
    assertThat(predict("{\"x\":0.5}\n", "--rows-folder", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--rows-folder: " + file + " cannot be used");
  }

  @Test
  void predict_malformedLines_areNamedAndTheOthersAnswered() {
    StringBuilder in = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      in.append(i == 700 ? "{\"x\":\"no number\"}" : "{\"x\":1}").append('\n');
    }
    assertThat(predict(in + "{")).isEqualTo(1);
    assertThat(answers()).hasSize(999);
    assertThat(err.toString()).contains("line 701: ", "line 1001: ").doesNotContain("line 702");
  }

  @Test
  void predict_csvWithHeader_takesTheDelimiterOfTheVersion() throws Exception {
    publish(
        List.of("x"),
        "\"input.format\":\"csv\",\"input.delimiter\":\";\"",
        new ModelSpec.Network.Mlp(List.of(3)));
    assertThat(predict("x;label\n0.5;\n1;yes\n", "--header")).as(err.toString()).isZero();
    assertThat(answers()).extracting(answer -> answer.path("line").asInt()).containsExactly(2, 3);
    assertThat(answers()).allMatch(answer -> answer.path("version").asInt() == 2);
    out.getBuffer().setLength(0);
    assertThat(predict("{\"x\":0.5}\n", "--version-number", "1")).as(err.toString()).isZero();
    assertThat(answers().get(0).path("version").asInt()).isEqualTo(1);
  }

  @Test
  void predict_networkThatPlainJavaDoesNotKnow_isComputedByDeeplearning4j() throws Exception {
    ModelSpec known =
        ModelSpecJson.decode(files.getOrDefault(ModelArtifact.SPEC_FILE, new byte[0]));
    publish(List.of("x"), "\"input.format\":\"json\"", FakeNetworks.unknownToPlainJava(known));
    assertThat(predict("{\"x\":1}\n")).as(err.toString()).isZero();
    assertThat(answers().get(0).path("probabilities").size()).isEqualTo(2);
  }

  @Test
  void predict_answerThatIsNotFinite_isNamedAndTheOthersAnswered() throws Exception {
    ModelSpec known =
        ModelSpecJson.decode(files.getOrDefault(ModelArtifact.SPEC_FILE, new byte[0]));
    ModelSpec.Network cubes = FakeNetworks.cubes(known, List.of(8, 8, 8, 8, 8, 8));
    publish(List.of("x"), "\"input.format\":\"json\"", cubes);
    assertThat(predict("{\"x\":0.1}\n{\"x\":1e30}\n{\"x\":-0.1}\n{\"x\":\"no number\"}\n"))
        .isEqualTo(1);
    assertThat(answers()).extracting(answer -> answer.path("line").asInt()).containsExactly(1, 3);
    assertThat(err.toString()).contains("line 2: version 2 predicts NaN", "line 4: ");
  }

  @Test
  void predict_binaryEvents_areRefused() throws Exception {
    publish(List.of("x"), "\"input.format\":\"binary\"", new ModelSpec.Network.Mlp(List.of(3)));
    assertThat(predict("")).isEqualTo(2);
    assertThat(err.toString()).contains("binary");
  }

  @Test
  void predict_inputThatPauses_isAnsweredMeanwhile() throws Exception {
    try (PipedOutputStream events = new PipedOutputStream()) {
      InputStream in = new PipedInputStream(events);
      Future<Integer> ended = threads.submit(() -> predict(in));
      events.write("{\"x\":1}\n{\"x\":2}\n\r\n \n{\"x\":".getBytes(StandardCharsets.UTF_8));
      events.flush();
      Awaitility.await().atMost(WAIT).until(() -> out.toString().lines().count() == 2);
      events.write("3}\n".getBytes(StandardCharsets.UTF_8));
      events.close();
      assertThat(ended.get()).as(err.toString()).isZero();
      assertThat(answers()).hasSize(3);
    }
  }
}
