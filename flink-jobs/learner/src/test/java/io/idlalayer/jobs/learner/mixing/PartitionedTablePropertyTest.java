package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.rows.ChainLimit;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.testkit.Tries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Histories of models whose table lies in the partitions that use it. */
final class PartitionedTablePropertyTest {
  private static final int HISTORIES = Tries.choose(40, 1_000);

  /** Most histories in which a seeded bug is looked for. */
  private static final int HISTORIES_WITH_A_BUG = 400;

  @TempDir Path folder;
  private final List<ApplicationSettings> settings = new ArrayList<>();
  private final List<ApplicationSettings> sharing = new ArrayList<>();

  @BeforeEach
  void read() throws Exception {
    for (int partitions = 2; partitions <= 4; partitions++) {
      settings.add(
          ApplicationFiles.read(
              folder.resolve("app.yaml"),
              """
              name: app
              partitions: %d
              mixing: {action: average, partition-by: user, wait: 1s}
              input: {features: [x], ids: [user], label: y, classes: [a, b]}
              model: {type: wide-and-deep, hidden: [4]}
              embeddings: {dim: 3}
              """
                  .formatted(partitions)));
      sharing.add(
          ApplicationFiles.read(
              folder.resolve("sharing.yaml"),
              """
              name: app
              partitions: %d
              mixing: {action: average, partition-by: user, wait: 1s}
              input: {features: [x], ids: [user, device], label: y, classes: [a, b]}
              model: {type: dlrm}
              embeddings: {dim: 56, tables: [{name: devices, features: [device], rows: 3}]}
              """
                  .formatted(partitions)));
    }
  }

  private HistoryTables run(long seed, HistoryBug bug) throws IOException {
    return run(seed, bug, false);
  }

  /**
   * @param shares whether there is a table too that every partition uses
   */
  private HistoryTables run(long seed, HistoryBug bug, boolean shares) throws IOException {
    Path temporary = Files.createDirectories(folder.resolve("temporary"));
    MemoryRows rows = new MemoryRows(temporary, bug == HistoryBug.LATE_ROWS_DROPPED);
    List<ApplicationSettings> any = shares ? sharing : settings;
    ApplicationSettings chosen = any.get((int) (seed % any.size()));
    HistoryTables tables = new HistoryTables(chosen, rows);
    new MixingHistory(seed, bug, chosen, tables).run();
    assertThat(temporary).isEmptyDirectory();
    assertThat(rows.mostOpen()).isBetween(1, ChainLimit.MOST_CHANGES + 1);
    return tables;
  }

  @Test
  void history_anySeed_servesTheRowsThatLearnersHave() {
    Map<String, Integer> kinds = new TreeMap<>();
    int lost = 0;
    for (long seed = 0; seed < HISTORIES; seed++) {
      try {
        HistoryTables tables = run(seed, HistoryBug.NONE);
        tables.kinds().forEach((kind, count) -> kinds.merge(kind, count, Integer::sum));
        lost += tables.lost();
      } catch (AssertionError | IOException | RuntimeException wrong) {
        throw new AssertionError("history " + seed, wrong);
      }
    }
    assertThat(lost).isPositive();
    assertThat(kinds.get(ModelManifest.ROW_CHANGES)).isGreaterThan(HISTORIES);
    assertThat(kinds.get(ModelManifest.FULL_ROWS)).isGreaterThan(HISTORIES);
  }

  @Test
  void history_mixerThatDropsLateRows_isFound() {
    boolean found = false;
    for (long seed = 0; seed < HISTORIES_WITH_A_BUG && !found; seed++) {
      try {
        run(seed, HistoryBug.LATE_ROWS_DROPPED);
      } catch (AssertionError | IOException | RuntimeException wrong) {
        assertThat(wrong).hasMessageContaining("the rows");
        found = true;
      }
    }
    assertThat(found).isTrue();
  }

  @Test
  void history_rowsOfEveryPartition_areMixedByTheirUses() {
    Map<String, Integer> kinds = new TreeMap<>();
    int lost = 0;
    for (long seed = 0; seed < HISTORIES; seed++) {
      try {
        HistoryTables tables = run(seed, HistoryBug.NONE, true);
        tables.kinds().forEach((kind, count) -> kinds.merge(kind, count, Integer::sum));
        lost += tables.lost();
      } catch (AssertionError | IOException | RuntimeException wrong) {
        throw new AssertionError("history " + seed, wrong);
      }
    }
    assertThat(lost).isPositive();
    assertThat(kinds.get(ModelManifest.ROW_CHANGES)).isGreaterThan(HISTORIES);
    assertThat(kinds.get(ModelManifest.FULL_ROWS)).isGreaterThan(HISTORIES);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.INCLUDE,
      names = {"USES_NOT_COUNTED", "USES_COUNTED_TWICE", "SHARED_ROWS_DROPPED"})
  void history_bugWithRowsOfEveryPartition_isFound(HistoryBug bug) throws IOException {
    boolean found = false;
    for (long seed = 0; seed < HISTORIES_WITH_A_BUG && !found; seed++) {
      try {
        run(seed, bug, true);
      } catch (AssertionError wrong) {
        assertThat(wrong)
            .hasMessageContaining(bug == HistoryBug.SHARED_ROWS_DROPPED ? "shared" : "parameter");
        found = true;
      }
    }
    assertThat(found).isTrue();
  }
}
