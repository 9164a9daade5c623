package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.quality.Contender.Policy;
import io.idlalayer.benchmarks.quality.Contender.Rule;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class QualityRunIT {
  private static DriftStream stream(int rows) throws Exception {
    return DriftStreams.read(Path.of("nowhere"), "recurring", rows);
  }

  private static RunOutcome run(DriftStream stream, Contender contender, long seed)
      throws Exception {
    try (QualityRun run = new QualityRun(EngineName.ONEDNN, stream, contender, seed)) {
      return run.run();
    }
  }

  @Test
  void run_sameSeed_givesTheSameOutcomeAndAnotherSeedAnother() throws Exception {
    Contender contender = new Contender(Policy.FUZZY, Rule.COUNT, 250, 64);
    RunOutcome first = run(stream(1_000), contender, 1);
    RunOutcome again = run(stream(1_000), contender, 1);
    assertThat(again.quality()).usingRecursiveComparison().isEqualTo(first.quality());
    assertThat(again.stages()).isEqualTo(first.stages());
    assertThat(run(stream(1_000), contender, 2).quality().trueLogLoss())
        .isNotEqualTo(first.quality().trueLogLoss());
  }

  @Test
  void run_withoutReplay_isTheSameForEveryPolicy() throws Exception {
    double expected =
        run(stream(1_000), new Contender(Policy.FUZZY, Rule.COUNT, 250, 0), 1)
            .quality()
            .trueLogLoss();
    for (Policy policy : Policy.values()) {
      RunOutcome outcome = run(stream(1_000), new Contender(policy, Rule.COUNT, 250, 0), 1);
      assertThat(outcome.quality().trueLogLoss()).as(policy.key()).isEqualTo(expected);
      assertThat(outcome.costs().replayedRows()).isZero();
    }
  }

  @Test
  void run_countsEveryRowAndUpdate() throws Exception {
    DriftStream stream = stream(2_000);
    RunOutcome outcome = run(stream, new Contender(Policy.UNIFORM, Rule.COUNT, 250, 64), 1);
    assertThat(outcome.costs().updates()).isEqualTo(8);
    assertThat(outcome.costs().trainedRows()).isEqualTo(2_000 + 7 * 64);
    assertThat(outcome.costs().replayedRows()).isEqualTo(7 * 64);
    assertThat(outcome.stages()).hasSize(5);
    assertThat(outcome.stages().get(4).total()).isEqualTo(2_000);
    assertThat(outcome.dropped()).isZero();
  }

  @Test
  void run_learnsAHyperplane() throws Exception {
    RunOutcome outcome = run(stream(5_000), new Contender(Policy.CONTINUOUS, Rule.COUNT, 64, 0), 1);
    assertThat(outcome.quality().parts()[Tally.PARTS - 1]).isGreaterThan(0.85);
  }

  @Test
  void run_withRepetitions_scoresAndStoresOnlyTheRows() throws Exception {
    DriftStream stream = new Adversary(0, 0.5).apply(stream(1_000), 1);
    RunOutcome outcome = run(stream, new Contender(Policy.FUZZY, Rule.PERIODIC, 500, 64), 1);
    assertThat(outcome.events()).isEqualTo(2_000);
    assertThat(outcome.scored()).isEqualTo(1_000);
    assertThat(outcome.stages().get(4).total()).isEqualTo(1_000);
    assertThat(outcome.costs().updates()).isEqualTo(4);
  }

  @Test
  void run_withEqualRowsThatAreNoRepetitions_scoresThemAll() throws Exception {
    DriftStream once = stream(600);
    Sample[] twice = new Sample[2 * once.size()];
    for (int i = 0; i < twice.length; i++) {
      Sample row = once.samples()[i / 2];
      twice[i] = row.withLabel(row.label());
    }
    DriftStream stream = DriftStream.clean("twice", once.schema(), twice);
    RunOutcome outcome = run(stream, new Contender(Policy.FUZZY, Rule.COUNT, 100, 64), 1);
    assertThat(outcome.scored()).isEqualTo(1_200);
    assertThat(outcome.stages().get(4).total()).isEqualTo(1_200);
    assertThat(outcome.quality().trueAccuracy()).isGreaterThan(0.6);
  }

  @Test
  void run_withFlippedLabels_findsThemInTheReplay() throws Exception {
    DriftStream stream = new Adversary(0.2, 0).apply(stream(1_000), 1);
    RunOutcome outcome = run(stream, new Contender(Policy.UNIFORM, Rule.COUNT, 100, 100), 1);
    assertThat(outcome.replay().replayedWrong()).isBetween(0.15, 0.25);
    assertThat(outcome.quality().trueAccuracy()).isGreaterThan(outcome.quality().givenAccuracy());
  }

  @Test
  void references_predictWhatTheyShould() throws Exception {
    DriftStream stream = stream(1_000);
    int same = 0;
    for (int i = 1; i < stream.size(); i++) {
      same += stream.trueLabels()[i] == stream.trueLabels()[i - 1] ? 1 : 0;
    }
    double noChange = MoaReference.NO_CHANGE.run(stream, 1).quality().trueAccuracy();
    // The first prediction is class 0.
    double first = stream.trueLabels()[0] == 0 ? 1 : 0;
    assertThat(noChange).isEqualTo((same + first) / stream.size());
    double forest = MoaReference.ADAPTIVE_RANDOM_FOREST.run(stream, 1).quality().trueAccuracy();
    assertThat(forest).isGreaterThan(0.6);
  }
}
