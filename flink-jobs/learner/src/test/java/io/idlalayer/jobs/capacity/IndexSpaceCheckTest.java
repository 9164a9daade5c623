package io.idlalayer.jobs.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IndexSpaceCheckTest {
  private static final long GIB = 1L << 30;

  @TempDir Path folder;

  private ApplicationSettings application(String name, long maxSamples) throws Exception {
    Path file = folder.resolve(name + ".yaml");
    Files.writeString(
        file,
        """
        name: %s
        partitions: 2
        input: {format: csv, columns: [id, a, y], features: [a], label: y, classes: 2, id: id}
        selection: {max-samples: %d}
        """
            .formatted(name, maxSamples));
    return ApplicationFileReader.read(file, variable -> null);
  }

  @Test
  void aSample_takesAsManyBytesAsTheDocumentsSay() throws Exception {
    ApplicationSettings million = application("app", 1_000_000);
    assertThat(IndexSpaceCheck.bytes(million, 1_000_000) / 1_000_000).isBetween(150L, 175L);
    DataSettings defaults = DataSettings.defaults();
    assertThat(defaults.maxSamples()).isEqualTo(1_000_000);
  }

  private static TaskMemory heap(long bytes, int processes) {
    return new TaskMemory(
        bytes, GIB, processes, new TaskMemory.Settings("IDLA_HEAP=%dm", "DIRECT=%dm"));
  }

  @Test
  void problems_learnersThatDoNotFitTogether_areNamedWithWhatToSet() throws Exception {
    List<ApplicationSettings> both =
        List.of(application("one", 1_000_000), application("two", 2_000_000));
    assertThat(IndexSpaceCheck.problems(both, heap(4 * GIB, 1))).isEmpty();
    assertThat(IndexSpaceCheck.problems(both, heap(GIB, 2))).isEmpty();
    assertThat(IndexSpaceCheck.problems(both, heap(GIB, 1)))
        .singleElement()
        .asString()
        .contains("one: 2 x 1,000,000 samples of up to 1")
        .contains("two: 2 x 2,000,000 samples of up to 1")
        .contains("has a heap of 1,024 MiB")
        .containsPattern("set IDLA_HEAP=1[0-9]{3}m or lower selection.max-samples");
  }

  @Test
  void problems_hotRowsOfTables_countToo() throws Exception {
    Path file = folder.resolve("rows.yaml");
    Files.writeString(
        file,
        """
        name: rows
        input: {features: [a], ids: [user], label: y, classes: 2}
        embeddings: {}
        memory: {rows: {fast-bytes: 700MiB}}
        selection: {max-samples: 1000}
        """);
    List<ApplicationSettings> tables = List.of(ApplicationFileReader.read(file, variable -> null));
    assertThat(IndexSpaceCheck.problems(tables, heap(GIB, 1))).isEmpty();
    assertThat(IndexSpaceCheck.problems(tables, heap(GIB / 2, 1)))
        .singleElement()
        .asString()
        .contains("and 700 MiB of memory.rows.fast-bytes");
    IndexSpaceCheck space = new IndexSpaceCheck(GIB);
    assertThat(space.take("rows/0", tables.get(0))).isNull();
    assertThat(space.take("rows/1", tables.get(0)))
        .contains("and 700 MiB of memory.rows.fast-bytes");
  }

  /** Rows that are read ahead or wait to be written are in DRAM whatever the policy. */
  @Test
  void problems_rowsThatAreNotHot_countToo() throws Exception {
    Path file = folder.resolve("simple.yaml");
    Files.writeString(
        file,
        """
        name: rows
        input: {features: [a], ids: [user], label: y, classes: 2}
        embeddings: {}
        memory: {rows: {policy: simple, fast-bytes: 700MiB}}
        selection: {max-samples: 1000}
        """);
    List<ApplicationSettings> tables = List.of(ApplicationFileReader.read(file, variable -> null));
    assertThat(IndexSpaceCheck.bytes(tables.get(0), 1)).isBetween(764L << 20, 765L << 20);
    assertThat(IndexSpaceCheck.problems(tables, heap(GIB - (8 << 20), 1)))
        .singleElement()
        .asString()
        .contains("and 700 MiB of memory.rows.fast-bytes")
        .contains("and 64 MiB for rows to be written");
  }

  @Test
  void problems_whatTheReleaseGateRemembersOfTables_countsToo() throws Exception {
    Path file = folder.resolve("gate.yaml");
    Files.writeString(
        file,
        """
        name: rows
        partitions: 5
        input: {features: [a], ids: [user], label: y, classes: 2}
        embeddings: {}
        memory: {rows: {fast-bytes: 1MiB}}
        publishing: {gate: {action: hold}}
        selection: {max-samples: 1000}
        """);
    List<ApplicationSettings> tables = List.of(ApplicationFileReader.read(file, variable -> null));
    assertThat(IndexSpaceCheck.problems(tables, heap(GIB, 1))).isEmpty();
    assertThat(IndexSpaceCheck.problems(tables, heap(GIB / 2, 1)))
        .singleElement()
        .asString()
        .contains("and 128 MiB for publishing.gate, which may be off");
  }

  @Test
  void problems_filterOfIds_countsToo() throws Exception {
    Path file = folder.resolve("filter.yaml");
    Files.writeString(
        file,
        """
        name: rows
        input: {features: [a], ids: [user], label: y, classes: 2}
        embeddings: {admit-after: 2, admission-counter: bloom, expected-ids: 100000000}
        memory: {rows: {fast-bytes: 1MiB}}
        selection: {max-samples: 1000}
        """);
    List<ApplicationSettings> tables = List.of(ApplicationFileReader.read(file, variable -> null));
    assertThat(IndexSpaceCheck.problems(tables, heap(GIB, 1))).isEmpty();
    assertThat(IndexSpaceCheck.problems(tables, heap(GIB / 2, 1)))
        .singleElement()
        .asString()
        .contains("MiB for embeddings.expected-ids, which may be lowered");
  }

  @Test
  void take_aLearnerMoreThanFits_isRefusedUntilAnotherIsClosed() throws Exception {
    ApplicationSettings million = application("app", 1_000_000);
    IndexSpaceCheck space = new IndexSpaceCheck(450L << 20);
    assertThat(space.take("app/0", million)).isNull();
    assertThat(space.take("app/1", million)).isNull();
    assertThat(space.take("app/2", million))
        .contains("learner app/2 needs 1")
        .contains("selection.max-samples allows")
        .contains("IDLA_HEAP")
        .contains("taskmanager.memory.task.heap.size");
    assertThat(space.take("app/1", million)).isNull();
    space.release("app/0");
    assertThat(space.take("app/2", million)).isNull();
  }

  @Test
  void loaded_stateWithMoreSamplesThanFit_isRefused() throws Exception {
    ApplicationSettings few = application("app", 1_000);
    IndexSpaceCheck space = new IndexSpaceCheck(100L << 20);
    assertThat(space.take("app/0", few)).isNull();
    assertThat(space.loaded("app/0", few, 1_000)).isNull();
    assertThat(space.loaded("app/0", few, 100_000)).isNull();
    assertThat(space.loaded("app/0", few, 1_000_000))
        .contains("index of 1,000,000 samples, which the state that it continues from");
  }

  @Test
  void moreSamplesThanAnIndexCanHold_areRefusedByTheFile() {
    assertThatThrownBy(() -> application("app", 1_000_000_000))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("1000000000 is not between 1 and 536870912");
  }
}
