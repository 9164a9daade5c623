package io.idlalayer.jobs.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.mixing.MixingSettings;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which model the next mixed models are compared with. */
final class MixReleaseTest {
  private static final double WAIT_SECONDS = 5;

  private final Mixer mixer = new Mixer(2, MixingSettings.NONE);
  private final MixRelease release =
      new MixRelease(
          new GateSettings(
              GateSettings.Action.HOLD,
              GateSettings.AfterPublishing.OFF,
              Metric.ACCURACY,
              0.01,
              10,
              WAIT_SECONDS,
              GateSettings.ContinueFrom.NEWEST,
              null),
          mixer);
  private long nowMillis;

  private static MixState model(int version) {
    return new MixState(
        new TreeMap<>(Map.of("model", new byte[] {(byte) version})),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        List.of());
  }

  private static MixingRecord contribution(long round, long version) {
    return new MixingRecord(
        "app",
        0,
        false,
        "me",
        round,
        version,
        "contribution " + version,
        10,
        10 * version,
        new TreeMap<>(),
        false);
  }

  /** A contribution becomes a mixed model. */
  private void mix(long round, int version) {
    mixer.receive(contribution(round, version), nowMillis);
    nowMillis += 60_000;
    assertThat(mixer.poll(nowMillis)).isNotNull();
    release.computed(
        new MixWork.Computed(model(version), new TreeMap<>(Map.of(0, 1.0)), Set.of()), nowMillis);
  }

  private void publish(int version) {
    mixer.published(version, mixer.names(), nowMillis);
  }

  /** The tested model waits in vain for samples. */
  private CandidateVerdict undecided(CandidateScores scores) {
    CandidateGate gate = release.gate();
    assertThat(gate.look(mixer.incarnations(), nowMillis)).isEqualTo(CandidateGate.Step.OFFER);
    gate.offered(mixer.incarnations(), nowMillis);
    release.receive(scores);
    nowMillis += Math.round(WAIT_SECONDS * 1e3);
    assertThat(gate.look(mixer.incarnations(), nowMillis)).isEqualTo(CandidateGate.Step.RECORD);
    return release.decide(nowMillis);
  }

  private static CandidateScores scores(String problem) {
    return new CandidateScores("app", 0, "me", 2, new double[0], problem);
  }

  @Test
  void decide_undecidedModel_isNoBaseline() {
    mix(0, 1);
    publish(1);
    mix(1, 2);
    assertThat(release.baseline().contained()).isEqualTo(Map.of(0, "contribution 1"));
    assertThat(undecided(scores("")).passes()).isTrue();
    publish(2);
    assertThat(release.baseline().version()).isEqualTo(1);
    assertThat(release.baseline().contained()).isEqualTo(Map.of(0, "contribution 1"));
    assertThat(release.state().notes()).isEmpty();
  }

  @Test
  void decide_learnerThatCannotCompareWithTheBaseline_getsAnotherOne() {
    mix(0, 1);
    publish(1);
    mix(1, 2);
    assertThat(undecided(scores("has lost its rows")).passes()).isTrue();
    publish(2);
    assertThat(release.baseline().version()).isEqualTo(2);
    assertThat(release.baseline().contained()).isEqualTo(Map.of(0, "contribution 2"));
    assertThat(release.state().notes()).containsExactly("partition 0 has lost its rows");
  }
}
