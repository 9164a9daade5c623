package io.idlalayer.jobs.mixing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.mixing.MixingSettings;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** When a round is fired, and what it takes. */
final class MixerTest {
  private static final MixingSettings SECOND = new MixingSettings(MixingSettings.Action.AVERAGE, 1);

  private final Mixer mixer = new Mixer(2, SECOND);

  private static MixingRecord hello(int partition, String incarnation) {
    return record(partition, true, incarnation, 0, "", 0);
  }

  private static MixingRecord contribution(int partition, long round, String digest, long rows) {
    return record(partition, false, "one", round, digest, rows);
  }

  private static MixingRecord record(
      int partition, boolean hello, String incarnation, long round, String digest, long rows) {
    return new MixingRecord(
        "app",
        partition,
        hello,
        incarnation,
        round,
        digest.isEmpty() ? 0 : rows,
        digest,
        rows,
        rows,
        new TreeMap<>(),
        false);
  }

  private static SortedMap<Integer, Double> contained(Integer... partitions) {
    TreeMap<Integer, Double> contained = new TreeMap<>();
    for (Integer each : partitions) {
      contained.put(each, 1.0);
    }
    return contained;
  }

  private void publish(long version, Integer... partitions) {
    mixer.computed(contained(partitions));
    mixer.published(version, mixer.names(), 0);
  }

  private void begin() {
    mixer.receive(hello(0, "one"), 0);
    mixer.receive(hello(1, "one"), 0);
    mixer.receive(contribution(0, 0, "a", 3), 0);
    assertThat(mixer.poll(0)).isNotNull();
    publish(1, 0);
  }

  @Test
  void poll_firstContribution_isTheFirstModelAtOnce() {
    mixer.receive(hello(0, "one"), 0);
    assertThat(mixer.poll(0)).isNull();
    mixer.receive(contribution(1, 0, "b", 3), 0);
    mixer.receive(contribution(0, 0, "a", 4), 0);
    MixRound first = mixer.poll(0);
    assertThat(first.taken()).hasSize(1);
    assertThat(first.taken().get(0).record().digest()).isEqualTo("a");
    assertThat(first.taken().get(0).from()).isEqualTo(MixRound.From.NOTHING);
  }

  @Test
  void poll_contributionFromAnOlderBase_isCountedFromTheOneBefore() {
    begin();
    mixer.receive(contribution(0, 0, "c", 5), 0);
    MixRound.Taken taken = mixer.poll(0).taken().get(0);
    assertThat(taken.from()).isEqualTo(MixRound.From.CONTRIBUTED);
    assertThat(taken.rows()).isEqualTo(2);
  }

  @Test
  void poll_contributionFromTheVersionThatContainsTheLast_isCountedFromThatVersion() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    assertThat(mixer.poll(0).taken().get(0).from()).isEqualTo(MixRound.From.ADOPTED);
  }

  @Test
  void poll_learnerThatTookPart_isWaitedForAndNotLonger() {
    begin();
    mixer.receive(contribution(1, 1, "b", 3), 0);
    assertThat(mixer.poll(999)).isNull();
    assertThat(mixer.nextPollMillis()).isEqualTo(1_000);
    assertThat(mixer.poll(1_000)).isNotNull();
    publish(2, 1);
    mixer.receive(contribution(0, 2, "c", 4), 2_000);
    assertThat(mixer.poll(2_000)).isNull();
    mixer.receive(contribution(1, 2, "d", 4), 2_100);
    MixRound both = mixer.poll(2_100);
    assertThat(both.taken()).extracting(each -> each.record().partition()).containsExactly(0, 1);
  }

  @Test
  void poll_secondNetworkOfItsOwn_isNotTaken() {
    begin();
    mixer.receive(contribution(1, 0, "b", 3), 0);
    assertThat(mixer.poll(5_000)).isNull();
    assertThat(mixer.idle()).isTrue();
  }

  @Test
  void poll_newsOfLearnersThatStartedAgain_namesThem() {
    begin();
    mixer.receive(record(0, true, "two", 1, "a", 3), 0);
    assertThat(mixer.poll(0)).isNull();
    mixer.receive(hello(1, "two"), 0);
    MixRound names = mixer.poll(0);
    assertThat(names.taken()).isEmpty();
    mixer.computed(contained());
    assertThat(mixer.names()).extracting(Contributor::incarnation).containsOnly("two");
    assertThat(mixer.names()).extracting(Contributor::digest).containsExactly("a", "");
  }

  @Test
  void restore_roundThatWasFired_isTheSameRound() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    MixRound fired = mixer.poll(0);
    Mixer restored = new Mixer(2, SECOND);
    restored.restore(mixer.snapshot(), 7);
    assertThat(restored.state()).isEqualTo(Mixer.State.MIXING);
    assertThat(restored.fired()).isEqualTo(fired);
    assertThat(restored.snapshot()).isEqualTo(mixer.snapshot());
  }

  @Test
  void computed_contributionThatCouldNotBeRead_isNotContained() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    mixer.poll(0);
    mixer.computed(contained());
    assertThat(mixer.names().get(0).digest()).isEqualTo("a");
    mixer.published(2, mixer.names(), 0);
    mixer.receive(contribution(0, 1, "d", 7), 0);
    MixRound.Taken taken = mixer.poll(1_000).taken().get(0);
    assertThat(taken.rows()).isEqualTo(4);
  }

  private static CandidateVerdict verdict(CandidateVerdict.Outcome outcome) {
    return new CandidateVerdict(outcome, 1, 100, 0);
  }

  @Test
  void refused_contributions_waitForAFreshOne() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    mixer.receive(contribution(1, 1, "d", 2), 0);
    mixer.poll(1_000);
    mixer.tests(contained(0, 1));
    assertThat(mixer.names()).extracting(Contributor::digest).containsExactly("c", "d");
    assertThat(mixer.recentContributors()).containsExactly(0, 1);
    mixer.refused(1_000);
    assertThat(mixer.idle()).as("nothing new is mixed").isTrue();
    assertThat(mixer.poll(100_000)).isNull();

    mixer.receive(contribution(1, 1, "e", 6), 200_000);
    MixRound next = mixer.poll(201_000);
    assertThat(next.number()).isEqualTo(3);
    assertThat(next.taken()).extracting(each -> each.record().digest()).containsExactly("c", "e");
    assertThat(next.taken()).extracting(MixRound.Taken::again).containsExactly(true, false);
    assertThat(next.taken()).extracting(MixRound.Taken::rows).containsExactly(2L, 6L);
    mixer.tests(contained(0, 1));
    mixer.passed(verdict(CandidateVerdict.Outcome.GOOD));
    assertThat(mixer.verdict()).isEqualTo(verdict(CandidateVerdict.Outcome.GOOD));
    assertThat(mixer.names()).extracting(Contributor::digest).containsExactly("c", "e");
    mixer.published(2, mixer.names(), 0);
    assertThat(mixer.verdict()).isNull();
    assertThat(mixer.idle()).isTrue();
  }

  @Test
  void withheld_model_hasNoVersionThatServes() {
    begin();
    assertThat(mixer.servingVersion()).isEqualTo(1);
    mixer.receive(contribution(0, 1, "c", 5), 0);
    mixer.poll(1_000);
    mixer.computed(contained(0));
    mixer.withheld(mixer.names(), 1_000);
    Mixer restored = new Mixer(2, SECOND);
    restored.restore(mixer.snapshot(), 0);
    assertThat(restored.servingVersion()).isZero();
    assertThat(restored.publishedVersion()).isEqualTo(1);
    assertThat(new CandidateVerdict(CandidateVerdict.Outcome.WORSE, 0, 7, 0.25).describe())
        .contains("worse by 0.2500 than the last model, which was withheld,");
    restored.receive(contribution(0, 2, "d", 6), 0);
    restored.poll(1_000);
    restored.computed(contained(0));
    restored.published(2, restored.names(), 1_000);
    assertThat(restored.servingVersion()).isEqualTo(2);
  }

  @Test
  void refused_newerContributionWaits_itTakesThePlace() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    mixer.poll(1_000);
    mixer.tests(contained(0));
    mixer.receive(contribution(0, 1, "f", 9), 1_000);
    mixer.refused(1_000);
    MixRound.Taken taken = mixer.poll(3_000).taken().get(0);
    assertThat(taken.record().digest()).isEqualTo("f");
    assertThat(taken.rows()).as("with those behind the refused one").isEqualTo(6);
  }

  @Test
  void passed_modelThatIsWorse_isRefused() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    mixer.poll(1_000);
    mixer.tests(contained(0));
    assertThatThrownBy(() -> mixer.passed(verdict(CandidateVerdict.Outcome.WORSE)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void restore_modelThatIsTested_isTestedAgain() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    mixer.poll(1_000);
    mixer.tests(contained(0));
    Mixer restored = new Mixer(2, SECOND);
    restored.restore(mixer.snapshot(), 7);
    assertThat(restored.state()).isEqualTo(Mixer.State.TESTING);
    assertThat(restored.snapshot()).isEqualTo(mixer.snapshot());
    assertThat(restored.names()).isEqualTo(mixer.names());
    restored.refused(7);
    assertThat(restored.idle()).isTrue();
  }

  @Test
  void unread_contributionOfAnIdleLearner_isMixedWithTheNextRound() {
    begin();
    mixer.receive(contribution(0, 1, "c", 5), 0);
    mixer.poll(1_000);
    mixer.unread(Set.of(0));
    mixer.computed(contained());
    mixer.published(2, mixer.names(), 0);
    assertThat(mixer.idle()).isTrue();
    mixer.receive(contribution(1, 1, "d", 2), 2_000);
    assertThat(mixer.poll(3_000).taken())
        .extracting(each -> each.record().digest())
        .containsExactly("c", "d");
  }

  @Test
  void published_withoutARound_isRefused() {
    assertThatThrownBy(() -> mixer.published(1, List.of(), 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cannot PUBLISH while it is IDLE");
  }

  @Test
  void wait_automatic_followsCompleteRounds() {
    RoundTimes times = new RoundTimes(new MixingSettings(MixingSettings.Action.AVERAGE, 0));
    assertThat(times.waitMillis()).isEqualTo(RoundTimes.FIRST_MILLIS);
    times.completed(300);
    assertThat(times.waitMillis()).isEqualTo(600);
    for (int i = 0; i < 20; i++) {
      times.completed(1);
    }
    assertThat(times.waitMillis()).isEqualTo(RoundTimes.LEAST_MILLIS);
    for (int i = 0; i < 20; i++) {
      times.completed(1_000_000);
    }
    assertThat(times.waitMillis()).isEqualTo(RoundTimes.MOST_MILLIS);
  }
}
