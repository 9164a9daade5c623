package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole learners with a table in the partitions and one that every partition uses. The label is a
 * matter of the device, and each user has been seen once.
 */
final class SharedRowsLearnersTest {
  private static final int EVENTS_EACH = 900;
  private static final int DEVICES = 20;

  @TempDir Path folder;

  private ApplicationSettings settings() throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        """
        name: app
        partitions: 2
        mixing: {action: average, partition-by: user}
        input: {features: [x], ids: [device, user], label: up, classes: 2}
        model: {type: wide-and-deep, hidden: [4]}
        embeddings: {dim: 3, learning-rate: 0.2, tables: [{name: devices, features: [device], rows: 20, index: number}]}
        update: {rule: count, count: 64}
        """);
  }

  private void run(boolean restarts) throws Exception {
    KeyRanges ranges = KeyRanges.ofTable("user", 2);
    List<List<Long>> users =
        List.of(
            LongStream.range(2, 4_000).boxed().filter(user -> ranges.of(user) == 0).toList(),
            LongStream.range(2, 4_000).boxed().filter(user -> ranges.of(user) == 1).toList());
    MemoryRows rows = new MemoryRows(Files.createDirectory(folder.resolve("rows")), false);
    Random random = new Random(3);
    try (MixedLearners learners = new MixedLearners(settings(), 0.001, 0.00002, 20, rows)) {
      for (int i = 0; i < EVENTS_EACH; i++) {
        for (int p = 0; p < 2; p++) {
          // Half of the devices are used in one partition only.
          int device = random.nextInt(DEVICES);
          device = device < DEVICES / 2 ? device : device / 2 * 2 + p;
          long[] ids = {2 + device, users.get(p).get(i)};
          double[] x = {random.nextGaussian()};
          learners.arrive(
              p, new Sample("", x, new int[0], new IdLists(ids, new int[] {1, 2}), device / 2 % 2));
        }
        learners.pass(4);
        if (restarts && i % 250 == 249) {
          int again = i / 250 % 2;
          learners.restart(again);
          assertTableAsFile(learners, again);
        } else if (i % 50 == 0) {
          assertTableAsFile(learners, i / 50 % 2);
        }
      }
      learners.end();
      assertOneModel(learners, rows);
    }
  }

  /** The rows in a learner's table have the bits of those in its model's file. */
  private static void assertTableAsFile(MixedLearners learners, int partition) throws Exception {
    ModelArtifact model = learners.learner(partition).model();
    if (model != null) {
      SharedTablesTest.assertSame(
          learners.learner(partition).tables(),
          Objects.requireNonNull(SharedRows.of(model.files())));
    }
  }

  private static void assertOneModel(MixedLearners learners, MemoryRows rows) throws Exception {
    SharedRows mixed = Objects.requireNonNull(SharedRows.of(learners.mixed()));
    SharedRows.Table table = mixed.tables().get(0);
    for (int p = 0; p < 2; p++) {
      ModelArtifact model = Objects.requireNonNull(learners.learner(p).model());
      SharedRows own = Objects.requireNonNull(SharedRows.of(model.files()));
      assertThat(own.values()).as("rows of learner %d", p).containsExactly(mixed.values());
      assertThat(own.marks()).containsOnly(0);
      assertTableAsFile(learners, p);
      assertThat(learners.said(p, DecisionEvent.Type.FINISHED)).isEqualTo(1);
      assertThat(Objects.requireNonNull(learners.status(p).tables()).byTable())
          .as("tables of learner %d", p)
          .anyMatch(each -> each.name().equals("devices") && each.rows() == DEVICES);
      assertThat(learners.status(p).prequential().classification().accuracy()).isGreaterThan(0.8);
    }
    Map<Long, String> expected = new TreeMap<>();
    for (int key = 0; key < table.keys(); key++) {
      if (mixed.marks()[key] > 0) {
        int at = key * table.weights();
        expected.put(
            (long) key,
            Arrays.toString(Arrays.copyOfRange(mixed.values(), at, at + table.weights())));
      }
    }
    assertThat(expected.keySet()).hasSizeGreaterThanOrEqualTo(DEVICES);
    ModelCheckpoint served = learners.served().orElseThrow();
    assertThat(rows.texts(served, table.index())).isEqualTo(expected);
    assertThat(rows.texts(served, 1).size()).isEqualTo(2 * EVENTS_EACH);
  }

  @Test
  void learn_rowsOfEveryPartition_areTheSameAtAllLearners() throws Exception {
    run(false);
  }

  @Test
  void learn_learnersThatStartAgain_endWithTheSameRows() throws Exception {
    run(true);
  }
}
