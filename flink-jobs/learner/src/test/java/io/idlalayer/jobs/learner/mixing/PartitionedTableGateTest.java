package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole learners compare mixed models whose table lies in the partitions that use it. The label of
 * an event is a matter of its user alone, and the network hardly learns, so that what wrong labels
 * have taught lies in the rows.
 */
final class PartitionedTableGateTest {
  private static final int SEEDS = 5;
  private static final int EVENTS_EACH = 1_000;
  private static final int WRONG_FROM = 500;
  private static final int WRONG_TO = 628;
  private static final int RESTART_AT = 600;

  @TempDir Path folder;

  private ApplicationSettings settings(int seed) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("tables.yaml"),
        """
        name: app
        partitions: 2
        seed: %d
        mixing: {action: average, partition-by: user}
        input: {features: [x], ids: [user], label: up, classes: 2}
        model: {type: wide-and-deep, hidden: [4], references: false}
        training: {updater: sgd, learning-rate: 0.000001}
        embeddings: {dim: 3, learning-rate: 0.3}
        update: {rule: count, count: 64}
        selection: {replay-budget: 0}
        publishing: {gate: {action: hold, samples: 40, wait: 2s, margin: 0.02}}
        """
            .formatted(seed));
  }

  /**
   * What came of a run.
   *
   * @param compared samples that each learner has compared, since it started again if it did
   */
  private record Outcome(int held, int[] compared) {}

  private Outcome run(int seed, boolean wrong) throws Exception {
    KeyRanges ranges = KeyRanges.ofTable("user", 2);
    List<List<Long>> users =
        List.of(
            LongStream.range(2, 80).boxed().filter(user -> ranges.of(user) == 0).toList(),
            LongStream.range(2, 80).boxed().filter(user -> ranges.of(user) == 1).toList());
    Path files = Files.createDirectories(folder.resolve("rows"));
    MemoryRows rows = new MemoryRows(files, false);
    Random random = new Random(seed);
    int[] before = new int[2];
    try (MixedLearners learners = new MixedLearners(settings(seed), 0.001, 0.00002, 20, rows)) {
      for (int i = 0; i < EVENTS_EACH; i++) {
        for (int p = 0; p < 2; p++) {
          long user = users.get(p).get(random.nextInt(users.get(p).size()));
          boolean up = user % 2 == 0;
          boolean flipped = wrong && i >= WRONG_FROM && i < WRONG_TO;
          double[] x = {random.nextGaussian()};
          learners.arrive(
              p, new Sample("", x, new int[0], IdLists.single(user), up == flipped ? 0 : 1));
        }
        learners.pass(4);
        if (!wrong && i == RESTART_AT) {
          before[0] = learners.compared(0);
          before[1] = learners.compared(1);
          learners.restart(0);
          learners.restart(1);
        }
      }
      learners.end();
      assertServesAll(learners, rows);
      int held =
          learners.said(0, DecisionEvent.Type.HELD) + learners.said(1, DecisionEvent.Type.HELD);
      return new Outcome(
          held, new int[] {learners.compared(0) - before[0], learners.compared(1) - before[1]});
    } finally {
      assertThat(files).isEmptyDirectory();
    }
  }

  /** The served version has the rows of the contributions that it names, bit for bit. */
  private static void assertServesAll(MixedLearners learners, MemoryRows rows) throws Exception {
    ModelCheckpoint served = learners.served().orElseThrow();
    MixedVersion version = MixedVersion.of(served.manifest()).orElseThrow();
    Map<Long, String> union = new TreeMap<>();
    KeyRanges ranges = KeyRanges.ofTable("user", 2);
    for (int p = 0; p < 2; p++) {
      int partition = p;
      ModelCheckpoint last = Objects.requireNonNull(learners.contribution(p));
      assertThat(version.of(p).orElseThrow().digest()).isEqualTo(last.digest());
      assertThat(version.of(p).orElseThrow().trained()).isEqualTo(EVENTS_EACH);
      rows.texts(last)
          .forEach(
              (key, row) -> {
                if (ranges.of(key) == partition) {
                  union.put(key, row);
                }
              });
    }
    assertThat(rows.texts(served)).isEqualTo(union);
  }

  @Test
  void learn_wrongLabelsInRows_areRefusedOnSamplesOfAllPartitions() throws Exception {
    int refused = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(seed, true);
      assertThat(outcome.compared()[0]).isGreaterThan(40);
      assertThat(outcome.compared()[1]).isGreaterThan(40);
      refused += outcome.held() > 0 ? 1 : 0;
    }
    assertThat(refused).isGreaterThanOrEqualTo(SEEDS - 1);
  }

  @Test
  void learn_rightLabelsAndLearnersThatStartAgain_areNotRefused() throws Exception {
    int refused = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(seed, false);
      assertThat(outcome.compared()[0]).isGreaterThan(40);
      assertThat(outcome.compared()[1]).isGreaterThan(40);
      refused += outcome.held() > 0 ? 1 : 0;
    }
    assertThat(refused).isLessThanOrEqualTo(1);
  }
}
