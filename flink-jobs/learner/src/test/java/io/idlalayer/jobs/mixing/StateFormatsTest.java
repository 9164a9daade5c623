package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.settings.mixing.MixingSettings;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.testkit.StateFormatsContract;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The bytes of a mixer's state, and of what learners say to it. */
final class StateFormatsTest extends StateFormatsContract {
  StateFormatsTest() {
    super(UnreadableStateException.class);
  }

  @Override
  protected String sources() {
    return "src/main/java/io/idlalayer/jobs/mixing";
  }

  @Override
  protected Stream<PinnedState> states() {
    return Stream.of(
        new PinnedState(
            "mixing-record",
            () -> record(1, false, 3, "digest").encode(),
            bytes -> MixingRecord.decode(bytes).encode()),
        new PinnedState("mixer", () -> mixer().snapshot(), StateFormatsTest::mixerAgain),
        new PinnedState(
            "mixer-that-tests", () -> testing().snapshot(), StateFormatsTest::mixerAgain),
        new PinnedState(
            "mixer-that-publishes", () -> publishing().snapshot(), StateFormatsTest::mixerAgain),
        new PinnedState(
            "candidate-scores",
            () ->
                new CandidateScores("app", 1, "one", 7, new double[] {0.5, -1}, "is alone")
                    .encode(),
            bytes -> CandidateScores.decode(bytes).encode()),
        new PinnedState(
            "baseline",
            () ->
                new Baseline(
                        4,
                        new TreeMap<>(Map.of("model.zip", new byte[] {1, 2})),
                        new TreeMap<>(Map.of(0, "mine", 2, "other")))
                    .encode(),
            bytes -> Baseline.decode(bytes).encode()),
        new PinnedState(
            "mixed-model", () -> model().encode(), bytes -> MixState.decode(bytes).encode()));
  }

  private static byte[] mixerAgain(byte[] bytes) {
    Mixer mixer = new Mixer(3, MixingSettings.NONE);
    mixer.restore(bytes, 0);
    return mixer.snapshot();
  }

  private static MixingRecord record(int partition, boolean hello, long round, String digest) {
    return new MixingRecord(
        "app",
        partition,
        hello,
        "incarnation",
        round,
        digest.length(),
        digest,
        40,
        50,
        new TreeMap<>(Map.of("events-0", 42L)),
        true);
  }

  /** A mixer with a fired round, a contribution that waits, and a learner that has joined. */
  private static Mixer mixer() {
    Mixer mixer = new Mixer(3, MixingSettings.NONE);
    mixer.receive(record(0, false, 0, "a"), 0);
    mixer.poll(0);
    mixer.computed(new TreeMap<>(Map.of(0, 1.5)));
    mixer.published(9, mixer.names(), 0);
    mixer.receive(record(1, true, 1, ""), 0);
    mixer.receive(record(0, false, 1, "bb"), 0);
    mixer.poll(10_000);
    mixer.receive(record(0, false, 1, "ccc"), 0);
    return mixer;
  }

  /** A mixer with a model that is tested, and a contribution that waits again. */
  private static Mixer testing() {
    Mixer mixer = mixer();
    mixer.tests(new TreeMap<>(Map.of(0, 2.5)));
    mixer.refused(20_000);
    mixer.receive(record(1, false, 1, "dddd"), 20_000);
    mixer.poll(40_000);
    mixer.tests(new TreeMap<>(Map.of(1, 0.5)));
    return mixer;
  }

  private static Mixer publishing() {
    Mixer mixer = testing();
    mixer.passed(new CandidateVerdict(CandidateVerdict.Outcome.GOOD, 9, 100, -0.25));
    return mixer;
  }

  private static MixState model() {
    return new MixState(
        new TreeMap<>(Map.of("model.zip", new byte[] {1, 2})),
        new TreeMap<>(Map.of(0, new float[] {1, 2.5f})),
        new TreeMap<>(Map.of(0, new int[] {3, 0})),
        new TreeMap<>(Map.of(0, new ModelMix.Own(new byte[] {3}, new byte[0], 7))),
        new TreeMap<>(Map.of("rule", "count")),
        new TreeMap<>(Map.of("meanLossAfter", 0.5)),
        List.of("a note"));
  }
}
