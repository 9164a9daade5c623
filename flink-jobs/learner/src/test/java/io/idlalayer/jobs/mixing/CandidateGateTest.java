package io.idlalayer.jobs.mixing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.mixing.CandidateGate.Step;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When a mixed model has a verdict, and which one. */
final class CandidateGateTest {
  private static final Map<Integer, String> LEARNERS = Map.of(0, "a", 1, "b");
  private static final long STRAGGLER_MILLIS = 1_000;

  private final CandidateGate gate =
      new CandidateGate(
          new GateSettings(
              GateSettings.Action.HOLD,
              GateSettings.AfterPublishing.OFF,
              Metric.ACCURACY,
              0.01,
              40,
              5,
              GateSettings.ContinueFrom.NEWEST,
              null),
          new MixRound(7, List.of(), STRAGGLER_MILLIS, 0),
          3,
          Set.of(0, 1));

  private static CandidateScores scores(int partition, String incarnation, int count, double each) {
    double[] differences = new double[count];
    Arrays.fill(differences, each);
    return new CandidateScores("app", partition, incarnation, 7, differences, "");
  }

  private void offer() {
    assertThat(gate.look(LEARNERS, 0)).isEqualTo(Step.OFFER);
    gate.offered(LEARNERS, 0);
    assertThat(gate.look(LEARNERS, 0)).isEqualTo(Step.NOTHING);
  }

  @Test
  void look_enoughSamplesOfAll_isGood() {
    offer();
    gate.receive(scores(0, "a", 30, 0));
    gate.receive(scores(1, "b", 9, 0));
    assertThat(gate.look(LEARNERS, 10)).isEqualTo(Step.NOTHING);
    gate.receive(scores(1, "b", 1, -1));
    assertThat(gate.look(LEARNERS, 10)).isEqualTo(Step.RECORD);
    assertThat(gate.look(LEARNERS, 10)).as("until it is recorded").isEqualTo(Step.RECORD);
    assertThat(gate.verdict())
        .isEqualTo(new CandidateVerdict(CandidateVerdict.Outcome.GOOD, 3, 40, -1.0 / 40));
  }

  @Test
  void look_worseOnSamplesOfBoth_isRefused() {
    offer();
    gate.receive(scores(0, "a", 12, 1));
    gate.receive(scores(1, "b", 12, 1));
    assertThat(gate.look(LEARNERS, 10)).isEqualTo(Step.RECORD);
    assertThat(gate.verdict().outcome()).isEqualTo(CandidateVerdict.Outcome.WORSE);
    assertThat(gate.verdict().passes()).isFalse();
  }

  @Test
  void look_partitionThatSaysNothing_isWaitedForAsLongAsARoundWaits() {
    offer();
    gate.receive(scores(0, "a", 100, 1));
    assertThat(gate.look(LEARNERS, STRAGGLER_MILLIS - 1)).isEqualTo(Step.NOTHING);
    assertThat(gate.nextLookMillis(0)).isEqualTo(STRAGGLER_MILLIS);
    assertThat(gate.look(LEARNERS, STRAGGLER_MILLIS)).isEqualTo(Step.RECORD);
  }

  @Test
  void look_partitionWithoutSamples_isNotWaitedFor() {
    offer();
    gate.receive(scores(0, "a", 100, 0));
    gate.receive(scores(1, "b", 0, 0));
    assertThat(gate.look(LEARNERS, 1)).isEqualTo(Step.RECORD);
  }

  @Test
  void look_timeIsOver_passesWhatIsNotWorse() {
    offer();
    gate.receive(scores(0, "a", 10, 1));
    assertThat(gate.look(LEARNERS, 4_999)).isEqualTo(Step.NOTHING);
    assertThat(gate.nextLookMillis(4_999)).isEqualTo(5_000);
    assertThat(gate.look(LEARNERS, 5_000)).isEqualTo(Step.RECORD);
    assertThat(gate.verdict())
        .isEqualTo(new CandidateVerdict(CandidateVerdict.Outcome.UNDECIDED, 3, 10, 1));
    assertThat(gate.verdict().passes()).isTrue();
  }

  @Test
  void receive_beforeTheOfferHasEnded_counts() {
    gate.offering(LEARNERS);
    gate.receive(scores(0, "a", 30, 1));
    gate.receive(scores(1, "b", 30, 1));
    gate.offered(LEARNERS, 0);
    assertThat(gate.look(LEARNERS, 1)).isEqualTo(Step.RECORD);
    assertThat(gate.verdict().outcome()).isEqualTo(CandidateVerdict.Outcome.WORSE);
  }

  @Test
  void receive_otherRoundOrEarlierStart_doesNotCount() {
    offer();
    gate.receive(new CandidateScores("app", 0, "a", 6, new double[] {1}, ""));
    gate.receive(scores(0, "before", 100, 1));
    gate.receive(scores(5, "x", 100, 1));
    assertThat(gate.look(LEARNERS, 5_000)).isEqualTo(Step.RECORD);
    assertThat(gate.verdict().samples()).isZero();
  }

  @Test
  void receive_learnerThatComparesNoMore_isTold() {
    offer();
    gate.receive(scores(0, "a", 40, 0));
    gate.receive(new CandidateScores("app", 1, "b", 7, new double[0], "has lost its rows"));
    assertThat(gate.look(LEARNERS, 10)).as("it is not waited for").isEqualTo(Step.RECORD);
    assertThat(gate.verdict().problems()).containsExactly("partition 1 has lost its rows");
  }

  @Test
  void look_learnerHasStartedAgain_isOfferedAgainAndKeepsWhatOthersFound() {
    offer();
    gate.receive(scores(0, "a", 40, 0));
    Map<Integer, String> now = Map.of(0, "a", 1, "later");
    assertThat(gate.look(now, 100)).isEqualTo(Step.OFFER);
    gate.offered(now, 100);
    gate.receive(scores(1, "b", 40, 1));
    gate.receive(scores(1, "later", 0, 0));
    assertThat(gate.look(now, 200)).isEqualTo(Step.RECORD);
    assertThat(gate.verdict().outcome()).isEqualTo(CandidateVerdict.Outcome.GOOD);
  }

  @Test
  void look_afterARestart_isOfferedOnceWhenAllLearnersHaveStarted() {
    assertThat(gate.look(Map.of(), 100)).isEqualTo(Step.NOTHING);
    assertThat(gate.nextLookMillis(100)).isEqualTo(100 + STRAGGLER_MILLIS);
    assertThat(gate.look(Map.of(1, "b"), 200)).isEqualTo(Step.NOTHING);
    assertThat(gate.look(LEARNERS, 300)).isEqualTo(Step.OFFER);
    gate.offered(LEARNERS, 300);
    assertThat(gate.look(LEARNERS, 400)).isEqualTo(Step.NOTHING);
  }

  @Test
  void look_learnerThatDoesNotStart_delaysTheOfferAsLongAsARoundWaits() {
    Map<Integer, String> some = Map.of(1, "b");
    assertThat(gate.look(some, 100)).isEqualTo(Step.NOTHING);
    assertThat(gate.look(some, 99 + STRAGGLER_MILLIS)).isEqualTo(Step.NOTHING);
    assertThat(gate.look(some, 100 + STRAGGLER_MILLIS)).isEqualTo(Step.OFFER);
    gate.offered(some, 100 + STRAGGLER_MILLIS);
    assertThat(gate.look(LEARNERS, 5_000)).as("it has started late").isEqualTo(Step.OFFER);
  }

  @Test
  void found_verdictOfAnEarlierAttempt_isTaken() {
    CandidateVerdict earlier = new CandidateVerdict(CandidateVerdict.Outcome.WORSE, 2, 90, 0.25);
    gate.found(earlier);
    assertThat(gate.verdict()).isEqualTo(earlier);
    assertThat(earlier.describe())
        .isEqualTo("worse by 0.2500 than version 2 on 90 samples of all partitions");
    assertThatThrownBy(() -> gate.offered(LEARNERS, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cannot OFFER while it is DECIDED");
  }

  @Test
  void verdict_beforeThereIsOne_isRefused() {
    assertThatThrownBy(gate::verdict).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void decode_differenceThatIsNone_isRefused() {
    byte[] bytes = new CandidateScores("app", 0, "a", 1, new double[] {Double.NaN}, "").encode();
    assertThatThrownBy(() -> MixingMessage.decode(bytes))
        .isInstanceOf(UnreadableStateException.class)
        .hasMessageContaining("a difference is NaN");
  }
}
