package io.idlalayer.jobs.learner.release;

import static io.idlalayer.jobs.learner.GateScenario.WAIT_MILLIS;
import static io.idlalayer.jobs.learner.GateScenario.gate;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.publish.Finding;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.release.ReleaseCycle.State;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.Arrays;
import java.util.Collections;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is compared with what, and what is said of it when. */
final class ReleaseGateTest {
  /** Trusted samples: two full batches of the scorer, and the rest. */
  private static final int TRUSTED = 600;

  private static final int FIRST_TWO = 2 * Scoring.MICRO_BATCH;
  private static final int REST = TRUSTED - FIRST_TWO;
  private static final long START_MILLIS = 5_000;

  private static ServedVersion version(long number, long update) {
    return new ServedVersion(
        number, "digest-" + number, update, new ModelArtifact(new TreeMap<>()));
  }

  /** A gate whose restored model serves as version 7, of update 3. */
  private static ReleaseGate restored(Action action, AfterPublishing after, int trusted) {
    ReleaseGate gate = new ReleaseGate(gate(action, after), trusted);
    gate.restored(version(7, 3), true);
    return gate;
  }

  @Test
  void restored_theVersionInServiceIsOfAnotherLineage_nothingIsComparedWithIt() {
    ReleaseGate foreign = new ReleaseGate(gate(Action.HOLD, AfterPublishing.OFF), 0);
    foreign.restored(version(7, 3), false);
    assertThat(foreign.accepted(0)).as("published at once").isFalse();
    assertThat(foreign.rival()).isNull();
    assertThat(foreign.inServiceVersion()).isEqualTo(7);
    ReleaseGate own = restored(Action.HOLD, AfterPublishing.OFF, 0);
    assertThat(own.accepted(0)).isTrue();
    assertThat(own.rival()).isNotNull();
  }

  /** Returns a number of samples that both models predicted correctly. */
  private static ScoredBatch scoredAlike(int count) {
    return scoredAlike(count, 1);
  }

  private static ScoredBatch scoredAlike(int count, long model) {
    double[] right = new double[count];
    Arrays.fill(right, 1);
    Sample sample = new Sample("s", new double[] {1}, new int[0], 1);
    return ScoredBatch.of(
            ScoringBatch.toCompare(
                new long[count],
                Collections.nCopies(count, sample),
                IdVectors.NONE,
                IdVectors.NONE),
            new float[count],
            right)
        .beside(new ScoredBatch.Rival(1, model, new float[count], right));
  }

  /**
   * Scoring is slower than updates: the samples that decide were all scored by the model before.
   */
  @Test
  void accepted_theVersionInServiceScoredNothing_isNoBaseline() {
    ReleaseGate gate = restored(Action.OFF, AfterPublishing.ROLL_BACK, TRUSTED);
    gate.accepted(0);
    assertThat(gate.takeBegun()).isTrue();
    gate.published(version(8, 4));
    gate.add(scoredAlike(FIRST_TWO, 1));
    gate.accepted(1);
    assertThat(gate.takeBegun()).as("the comparison goes on").isFalse();
    gate.published(version(9, 5));
    gate.add(scoredAlike(REST, 1));
    gate.accepted(2);
    assertThat(gate.baselineUpdate()).as("of the version that was found good").isEqualTo(3);
    assertThat(gate.takeBegun()).isTrue();
  }

  @Test
  void accepted_theVersionInServiceScoredTheLastSamples_isTheBaseline() {
    ReleaseGate gate = restored(Action.OFF, AfterPublishing.ROLL_BACK, TRUSTED);
    gate.accepted(0);
    gate.published(version(8, 4));
    gate.add(scoredAlike(FIRST_TWO, 1));
    gate.accepted(1);
    gate.published(version(9, 5));
    gate.add(scoredAlike(REST, 2));
    gate.accepted(2);
    assertThat(gate.baselineUpdate()).isEqualTo(5);
  }

  @Test
  void hold_trustedSamplesTakeLong_nothingIsSaidBeforeTheLast() {
    ReleaseGate gate = restored(Action.HOLD, AfterPublishing.OFF, TRUSTED);
    assertThat(gate.accepted(0)).isTrue();
    gate.add(scoredAlike(Scoring.MICRO_BATCH));
    assertThat(gate.doubtful()).as("a newer model may not take its place").isFalse();
    assertThat(gate.look(WAIT_MILLIS - 1_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    gate.add(scoredAlike(Scoring.MICRO_BATCH));
    assertThat(gate.look(2 * (WAIT_MILLIS - 1_000), false))
        .as("the scorer works")
        .isEqualTo(ReleaseGate.Step.NOTHING);
    gate.add(scoredAlike(REST));
    assertThat(gate.look(3 * (WAIT_MILLIS - 1_000), false)).isEqualTo(ReleaseGate.Step.RELEASE);
  }

  @Test
  void hold_trustedSamplesAreNotScored_isSaidAndPublished() {
    ReleaseGate gate = restored(Action.HOLD, AfterPublishing.OFF, TRUSTED);
    assertThat(gate.accepted(0)).isTrue();
    gate.add(scoredAlike(Scoring.MICRO_BATCH));
    assertThat(gate.look(START_MILLIS, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    assertThat(gate.look(START_MILLIS + WAIT_MILLIS - 1_000, false))
        .isEqualTo(ReleaseGate.Step.NOTHING);
    assertThat(gate.look(START_MILLIS + WAIT_MILLIS, false))
        .isEqualTo(ReleaseGate.Step.RELEASE_UNCOMPARED);
  }

  @Test
  void state_isGivenUpFromARefusalOrARollbackToTheNextVersion() {
    ReleaseGate gate = new ReleaseGate(gate(Action.HOLD, AfterPublishing.ROLL_BACK), 0);
    gate.accepted(0);
    assertThat(gate.state()).as("there is nothing to compare with").isEqualTo(State.QUIET);
    gate.published(version(1, 1));
    gate.accepted(1);
    assertThat(gate.state()).isEqualTo(State.HELD);
    gate.refuses();
    gate.refused();
    assertThat(gate.state()).isEqualTo(State.GIVEN_UP);
    gate.published(version(2, 2));
    assertThat(gate.state()).isEqualTo(State.QUIET);
    gate.accepted(2);
    gate.released();
    assertThat(gate.state()).isEqualTo(State.COMING);
    gate.published(version(3, 3));
    assertThat(gate.state()).isEqualTo(State.COMPARING);
    gate.pins(new RollBack(version(3, 3), version(1, 1), "worse", 3, new CompletableFuture<>()));
    assertThat(gate.rollBack()).isNotNull();
    gate.rolledBack();
    assertThat(gate.state()).isEqualTo(State.GIVEN_UP);
    assertThat(gate.rollBack()).isNull();
    assertThat(gate.inServiceVersion()).isEqualTo(1);
  }

  @Test
  void look_theBaselineCannotScoreAnyMore_nothingIsSaidOfAComparison() {
    ReleaseGate gate = restored(Action.HOLD, AfterPublishing.OFF, 0);
    assertThat(gate.accepted(0)).isTrue();
    assertThat(gate.endUnless(update -> update == 3)).as("it can").isFalse();
    assertThat(gate.endUnless(update -> false)).isTrue();
    gate.ended();
    assertThat(gate.state()).isEqualTo(State.QUIET);
    assertThat(gate.finding()).isEqualTo(Finding.NONE);
    assertThat(gate.look(60_000, false)).isEqualTo(ReleaseGate.Step.NOTHING);
    assertThat(gate.endUnless(update -> false)).as("once").isFalse();
  }
}
