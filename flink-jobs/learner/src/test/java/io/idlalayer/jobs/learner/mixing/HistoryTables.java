package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.publish.SimulatedRows;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.mixing.PartitionedTable;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The table of a {@link MixingHistory} whose rows lie in the partitions that use them, and what is
 * promised of it: each version has, bit for bit, the rows that each learner had when it made the
 * contribution that the version contains, and of a learner only those that it has the keys of. If
 * the settings have a second table, every partition uses its rows, and a version has those of the
 * mixed model.
 */
final class HistoryTables {
  private static final int ROWS = 40;
  private static final long IDS = 100;

  private final ApplicationSettings settings;
  private final KeyRanges ranges;
  private final RowFile.Table table;
  private final List<RowFile.Table> all;
  private final int partitioned;
  private final @Nullable SharedRows shared;
  private final MemoryRows rows;

  /** The rows of a learner at each contribution. Outlasts failures. */
  private final Map<String, Map<Long, String>> contributed = new HashMap<>();

  private final Map<String, Integer> kinds = new TreeMap<>();
  private int lost;

  /**
   * @param settings settings with a table
   */
  HistoryTables(ApplicationSettings settings, MemoryRows rows) {
    this.settings = settings;
    this.rows = rows;
    PartitionedTable own =
        PartitionedTable.of(settings.mixing(), settings.model(), settings.partitions())
            .orElseThrow();
    ranges = own.ranges();
    partitioned = own.table();
    EmbeddingPlan plan = EmbeddingPlans.of(settings.model());
    all = plan.tables().stream().map(RowFile.Table::of).toList();
    table = all.get(partitioned);
    List<Integer> others = own.others(settings.model());
    shared =
        others.isEmpty()
            ? null
            : SharedRows.begin(plan, EmbeddingPlans.rule(settings.model(), 1), others);
  }

  /** Returns the rows that every partition uses, as they begin; null if there are none. */
  @Nullable SharedRows shared() {
    return shared;
  }

  static SharedRows shared(SortedMap<String, byte[]> files) {
    try {
      return Objects.requireNonNull(SharedRows.of(files));
    } catch (IOException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  /** Adds 1 to a weight of a row, which is used once. */
  static SharedRows used(SharedRows before, int row, int weight) {
    float[] values = before.values().clone();
    int[] uses = before.marks().clone();
    values[row * before.tables().get(0).weights() + weight] += 1;
    uses[row]++;
    return new SharedRows(before.tables(), values, uses);
  }

  /** Returns a model with other marks of its shared rows. */
  static ModelArtifact marked(ModelArtifact model, int[] marks) {
    SharedRows rows = shared(model.files());
    SortedMap<String, byte[]> files = new TreeMap<>(model.files());
    files.put(SharedRows.FILE, new SharedRows(rows.tables(), rows.values(), marks).encode());
    return new ModelArtifact(files);
  }

  ApplicationSettings settings() {
    return settings;
  }

  MemoryRows rows() {
    return rows;
  }

  /** Returns the rows of a learner that has not started before. */
  SimulatedRows begin(int partition, Random random) {
    SimulatedRows begun = new SimulatedRows(table, all);
    for (int i = 0; i < ROWS; i++) {
      begun.train(key(partition, random), random);
    }
    return begun;
  }

  private long key(int partition, Random random) {
    long key;
    do {
      key = IdLists.UNKNOWN + 1 + (long) (random.nextDouble() * IDS * ranges.partitions());
    } while (ranges.of(key) != partition);
    return key;
  }

  /** An event changes one row or two, or lets an unused one be deleted. */
  void train(SimulatedRows of, int partition, Random random) {
    of.train(key(partition, random), random);
    switch (random.nextInt(4)) {
      case 0 -> of.train(IdLists.UNKNOWN, random);
      case 1 -> of.delete(key(partition, random));
      default -> {}
    }
  }

  /** A learner has made a contribution. */
  void contributed(int partition, ModelCheckpoint contribution, SimulatedRows of) {
    Map<Long, String> own = new TreeMap<>();
    of.texts()
        .forEach(
            (key, row) -> {
              if (ranges.of(key) == partition) {
                own.put(key, row);
              } else {
                assertThat(key).isEqualTo(IdLists.UNKNOWN);
              }
            });
    contributed.put(contribution.digest(), own);
    of.published(contribution);
  }

  /** The row file of a contribution is lost. */
  void lose(ModelCheckpoint contribution) {
    rows.lose(contribution.digest());
    lost++;
  }

  /**
   * A version serves.
   *
   * @param mixed the shared rows of its model; null if there are none
   * @param used the shared rows that the events in the model have used
   */
  void serves(ModelCheckpoint version, @Nullable SharedRows mixed, Set<Integer> used)
      throws IOException {
    if (mixed != null) {
      Map<Long, String> own = new TreeMap<>();
      int weights = mixed.tables().get(0).weights();
      for (int row : used) {
        int at = row * weights;
        own.put((long) row, Arrays.toString(Arrays.copyOfRange(mixed.values(), at, at + weights)));
      }
      assertThat(rows.texts(version, mixed.tables().get(0).index()).equals(own))
          .as("the rows of version %d that are shared", version.manifest().version())
          .isTrue();
    }
    Map<Long, String> expected = new TreeMap<>();
    for (Contributor each : MixedVersion.of(version.manifest()).orElseThrow().contributors()) {
      if (!each.digest().isEmpty()) {
        expected.putAll(contributed.get(each.digest()));
      }
    }
    assertThat(rows.texts(version, partitioned).equals(expected))
        .as("the rows of version %d", version.manifest().version())
        .isTrue();
    kinds.merge(version.manifest().attributes().get(ModelManifest.ROWS), 1, Integer::sum);
  }

  /** Everything rests: what serves has the rows of all learners. */
  void ended(ModelCheckpoint served, Map<Integer, SimulatedRows> learners) throws IOException {
    Map<Long, String> union = new TreeMap<>();
    learners.forEach(
        (partition, of) ->
            of.texts()
                .forEach(
                    (key, row) -> {
                      if (ranges.of(key) == partition) {
                        union.put(key, row);
                      }
                    }));
    assertThat(rows.texts(served, partitioned).equals(union))
        .as("the rows that serve at the end")
        .isTrue();
  }

  /** Returns the numbers of versions by the kind of their row files. */
  Map<String, Integer> kinds() {
    return kinds;
  }

  /** Returns how many row files of contributions were lost. */
  int lost() {
    return lost;
  }
}
