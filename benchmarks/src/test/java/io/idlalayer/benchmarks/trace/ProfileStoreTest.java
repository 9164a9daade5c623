package io.idlalayer.benchmarks.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Lifetimes;
import io.idlalayer.middleware.placement.api.TaskGraph.PlacementNanos;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileStoreTest {
  static final ProfileKey KEY =
      new ProfileKey(
          "dense 4-3", List.of(List.of(8L, 4L), List.of(8L, 3L)), "FLOAT", "nd4j 1.0", 1, "cpu");
  static final TaskGraph GRAPH =
      new TaskGraph(
          List.of(
              new Kernel(
                  "forward 0",
                  List.of(0, 1),
                  List.of(2),
                  new Lifetimes(List.of(1, 2), List.of(0), List.of()),
                  1500,
                  List.of(new PlacementNanos(List.of(1, 2), 2500)),
                  null),
              new Kernel("update 0", List.of(0, 2), List.of(0), 700)),
          List.of(
              new Tensor("parameters 0", 60, TensorKind.PARAMETER, true),
              new Tensor("features", 128, TensorKind.INPUT, false),
              new Tensor("activation 0", 96, TensorKind.INTERMEDIATE, false)));

  @TempDir Path directory;

  @Test
  void whatIsSaved_isLoadedByItsKeyOnly() throws Exception {
    ProfileStore store = new ProfileStore(directory.resolve("new/profiles"));
    assertThat(store.load(KEY)).isEmpty();
    store.save(KEY, GRAPH);
    assertThat(store.load(KEY)).contains(GRAPH);
    ProfileKey other =
        new ProfileKey(KEY.network(), KEY.shapes(), KEY.dataType(), KEY.engine(), 2, "cpu");
    assertThat(store.load(other)).isEmpty();
    store.save(KEY, GRAPH);
    try (Stream<Path> files = Files.list(directory.resolve("new/profiles"))) {
      assertThat(files.toList()).containsExactly(store.file(KEY));
    }
  }

  @Test
  void everyPartOfAKey_changesItsHash() {
    Set<String> hashes = new HashSet<>();
    hashes.add(KEY.hash());
    hashes.add(new ProfileKey("b", KEY.shapes(), "FLOAT", "nd4j 1.0", 1, "cpu").hash());
    hashes.add(
        new ProfileKey("dense 4-3", List.of(List.of(8L)), "FLOAT", "nd4j 1.0", 1, "cpu").hash());
    hashes.add(new ProfileKey("dense 4-3", KEY.shapes(), "HALF", "nd4j 1.0", 1, "cpu").hash());
    hashes.add(new ProfileKey("dense 4-3", KEY.shapes(), "FLOAT", "nd4j 1.1", 1, "cpu").hash());
    hashes.add(new ProfileKey("dense 4-3", KEY.shapes(), "FLOAT", "nd4j 1.0", 2, "cpu").hash());
    hashes.add(new ProfileKey("dense 4-3", KEY.shapes(), "FLOAT", "nd4j 1.0", 1, "gpu").hash());
    assertThat(hashes).hasSize(7);
    assertThat(KEY.hash()).matches("[0-9a-f]{64}");
    assertThatThrownBy(() -> new ProfileKey("", List.of(), "", "", 0, ""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private byte[] fixture(int version) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            getClass().getResourceAsStream("/task-graph-v%d.json".formatted(version)))) {
      return in.readAllBytes();
    }
  }

  @Test
  void bytesOfVersion1_areRead_withoutDivisibleKernels() throws Exception {
    TaskGraphFile file = TaskGraphFile.decode(fixture(1), "fixture");
    assertThat(file.key()).isEqualTo(KEY);
    assertThat(file.graph()).isEqualTo(GRAPH);
  }

  @Test
  void bytesOfVersion2_areRead() throws Exception {
    TaskGraphFile file = TaskGraphFile.decode(fixture(2), "fixture");
    assertThat(file).isEqualTo(new TaskGraphFile(KEY, divisible()));
  }

  /** Returns the step with a divisible update. */
  private static TaskGraph divisible() {
    Kernel update =
        new Kernel(
            "update 0",
            List.of(0, 2),
            List.of(0),
            Lifetimes.NONE,
            700,
            List.of(),
            new Division(List.of(new Division.Section(12, List.of(5, 8)))));
    return new TaskGraph(List.of(GRAPH.kernels().get(0), update), GRAPH.tensors());
  }

  @Test
  void aRecordingOfAnEarlierVersion_countsAsAbsent() throws Exception {
    ProfileStore store = new ProfileStore(directory);
    Files.write(store.file(KEY), fixture(1));
    assertThat(store.load(KEY)).isEmpty();
    store.save(KEY, divisible());
    assertThat(store.load(KEY)).contains(divisible());
  }

  @Test
  void anotherVersion_isRefusedByName() throws Exception {
    ProfileStore store = new ProfileStore(directory);
    store.save(KEY, GRAPH);
    String text = Files.readString(store.file(KEY));
    Files.writeString(store.file(KEY), text.replace("\"version\" : 2", "\"version\" : 7"));
    assertThatThrownBy(() -> store.load(KEY))
        .isInstanceOf(UnknownProfileVersionException.class)
        .hasMessageContaining(store.file(KEY).toString())
        .hasMessageContaining("version 7")
        .hasMessageContaining("version 2");
    assertThat(store.file(KEY)).exists();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "[]",
        "{\"format\":\"other\",\"version\":1}",
        "{\"format\":\"idla-task-graph\",\"version\":1}",
        "{\"format\":\"idla-task-graph\",\"version\":1,\"key\":3,\"graph\":{}}",
        "{\"format\":\"idla-task-graph\",\"version\":1,\"graph\":{\"kernels\":[5]}}",
        "{\"format\":\"idla-task-graph\",\"version\":1,\"graph\":{\"kernels\":[{\"name\":\"k\","
            + "\"reads\":[9],\"writes\":[],\"fastNanos\":1}],\"tensors\":[]}}"
      })
  void aCorruptFile_isSetAside(String content) throws Exception {
    ProfileStore store = new ProfileStore(directory);
    Path file = store.file(KEY);
    Files.write(file, content.getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> TaskGraphFile.read(file))
        .isInstanceOf(CorruptProfileException.class)
        .hasMessageContaining(file.toString());
    assertThat(store.load(KEY)).isEmpty();
    assertThat(file).doesNotExist();
    assertThat(file.resolveSibling(file.getFileName() + ".corrupt")).hasContent(content);
    store.save(KEY, GRAPH);
    assertThat(store.load(KEY)).contains(GRAPH);
  }

  @Test
  void aFileUnderAnotherKeysName_isSetAside() throws Exception {
    ProfileStore store = new ProfileStore(directory);
    ProfileKey other = new ProfileKey("x", List.of(), "FLOAT", "e", 1, "cpu");
    new TaskGraphFile(other, GRAPH).write(store.file(KEY));
    assertThat(store.load(KEY)).isEmpty();
    assertThat(store.file(KEY)).doesNotExist();
  }
}
