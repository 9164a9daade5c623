package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.cli.FakeNetworks;
import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Predictions of events on standard input. */
final class ModelsPredictTest {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path models;
  @TempDir Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final IdlaRun idla = new IdlaRun();
  private final InputStream before = System.in;
  private SortedMap<String, byte[]> files = new TreeMap<>();

  @BeforeEach
  void publishJson() throws IOException {
    files = publish("\"input.format\":\"json\"", new ModelSpec.Network.Mlp(List.of(3)));
  }

  @AfterEach
  void restore() {
    System.setIn(before);
    threads.shutdownNow();
  }

  private SortedMap<String, byte[]> publish(String settings, ModelSpec.Network network)
      throws IOException {
    SampleSchema schema =
        SmallModels.schema(List.of("x", "label"), List.of("x"), List.of("no", "yes"));
    SortedMap<String, byte[]> made = SmallModels.files(SmallModels.spec(schema, network, true), 1);
    new ModelStore(models, InstantSource.system())
        .claim("app", 0)
        .publish(
            Drafts.of(
                "app",
                0,
                null,
                Map.of(
                    SettingsIdentity.ATTRIBUTE,
                    "{\"formatVersion\":1,\"settings\":{" + settings + "}}"),
                made,
                Map.of()));
    return made;
  }

  private int predict(InputStream in, String... more) {
    System.setIn(in);
    return idla.run("models predict app --models-dir", models, List.of(more));
  }

  private int predict(String in, String... more) {
    return predict(new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)), more);
  }

  private List<JsonNode> answers() {
    return idla.out()
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
    assertThat(predict("{\"x\":0.5}\n\n{\"x\":-1,\"label\":\"yes\"}\n")).as(idla.err()).isZero();
    assertThat(answers()).extracting(answer -> answer.path("line").asInt()).containsExactly(1, 3);
    try (Dl4jModel model = Dl4jModel.load(new ModelArtifact(files))) {
      double[] expected = model.predict(List.of(Sample.of(new double[] {0.5f}, 0)))[0];
      JsonNode answer = answers().get(0);
      assertThat(answer.path("version").asLong()).isEqualTo(1);
      assertThat(answer.path("prediction").asText())
          .isEqualTo(expected[1] > expected[0] ? "yes" : "no");
      assertThat(answer.path("probabilities").path("no").doubleValue())
          .isCloseTo(expected[0], Offset.offset(1e-6));
      assertThat(answer.path("probabilities").path("yes").doubleValue())
          .isCloseTo(expected[1], Offset.offset(1e-6));
    }
  }

  @Test
  void predict_rowsFolder_isMadeOrRefused() throws Exception {
    Path rows = folder.resolve("cache/rows");
    assertThat(predict("{\"x\":0.5}\n", "--rows-folder", rows.toString())).as(idla.err()).isZero();
    assertThat(rows).isEmptyDirectory();
    Path file = Files.createFile(folder.resolve("a-file"));
    assertThat(predict("{\"x\":0.5}\n", "--rows-folder", file.toString())).isEqualTo(2);
    assertThat(idla.err()).contains("--rows-folder: " + file + " cannot be used");
  }

  @Test
  void predict_malformedLines_areNamedAndTheOthersAnswered() {
    StringBuilder in = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      in.append(i == 700 ? "{\"x\":\"no number\"}" : "{\"x\":1}").append('\n');
    }
    assertThat(predict(in + "{")).isEqualTo(1);
    assertThat(answers()).hasSize(999);
    assertThat(idla.err()).contains("line 701: ", "line 1001: ").doesNotContain("line 702");
  }

  @Test
  void predict_csvWithHeader_takesTheDelimiterOfTheVersion() throws Exception {
    publish(
        "\"input.format\":\"csv\",\"input.delimiter\":\";\"",
        new ModelSpec.Network.Mlp(List.of(3)));
    assertThat(predict("x;label\n0.5;\n1;yes\n", "--header")).as(idla.err()).isZero();
    assertThat(answers()).extracting(answer -> answer.path("line").asInt()).containsExactly(2, 3);
    assertThat(answers()).allMatch(answer -> answer.path("version").asInt() == 2);
    assertThat(predict("{\"x\":0.5}\n", "--version-number", "1")).as(idla.err()).isZero();
    assertThat(answers().get(0).path("version").asInt()).isEqualTo(1);
  }

  @Test
  @Tag("natives")
  void predict_networkThatPlainJavaDoesNotKnow_isComputedByDeeplearning4j() throws Exception {
    ModelSpec known =
        ModelSpecJson.decode(files.getOrDefault(ModelArtifact.SPEC_FILE, new byte[0]));
    publish("\"input.format\":\"json\"", FakeNetworks.unknownToPlainJava(known));
    assertThat(predict("{\"x\":1}\n")).as(idla.err()).isZero();
    assertThat(answers().get(0).path("probabilities").size()).isEqualTo(2);
  }

  @Test
  @Tag("natives")
  void predict_answerThatIsNotFinite_isNamedAndTheOthersAnswered() throws Exception {
    ModelSpec known =
        ModelSpecJson.decode(files.getOrDefault(ModelArtifact.SPEC_FILE, new byte[0]));
    ModelSpec.Network cubes = FakeNetworks.cubes(known, List.of(8, 8, 8, 8, 8, 8));
    publish("\"input.format\":\"json\"", cubes);
    assertThat(predict("{\"x\":0.1}\n{\"x\":1e30}\n{\"x\":-0.1}\n{\"x\":\"no number\"}\n"))
        .isEqualTo(1);
    assertThat(answers()).extracting(answer -> answer.path("line").asInt()).containsExactly(1, 3);
    assertThat(idla.err()).contains("line 2: version 2 predicts NaN", "line 4: ");
  }

  @Test
  void predict_binaryEvents_areRefused() throws Exception {
    publish("\"input.format\":\"binary\"", new ModelSpec.Network.Mlp(List.of(3)));
    assertThat(predict("")).isEqualTo(2);
    assertThat(idla.err()).contains("binary");
  }

  @Test
  void predict_inputThatPauses_isAnsweredMeanwhile() throws Exception {
    try (PipedOutputStream events = new PipedOutputStream()) {
      InputStream in = new PipedInputStream(events);
      Future<Integer> ended = threads.submit(() -> predict(in));
      events.write("{\"x\":1}\n{\"x\":2}\n\r\n \n{\"x\":".getBytes(StandardCharsets.UTF_8));
      events.flush();
      Awaitility.await().atMost(WAIT).until(() -> idla.out().lines().count() == 2);
      events.write("3}\n".getBytes(StandardCharsets.UTF_8));
      events.close();
      assertThat(ended.get()).as(idla.err()).isZero();
      assertThat(answers()).hasSize(3);
    }
  }
}
