package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.LearnerSimulation;
import io.idlalayer.jobs.mixing.MixRound;
import io.idlalayer.jobs.mixing.MixState;
import io.idlalayer.jobs.mixing.MixWork;
import io.idlalayer.jobs.mixing.MixingRecord;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelcontroller.mixing.NetworkFile;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of the contributions of a round. */
final class MixWorkTest {
  private final MemoryMixing place = new MemoryMixing(manifest -> {});
  private final MixWork work =
      new MixWork(
          LearnerSimulation.settings(
              UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10), DataSettings.defaults()),
          place);
  private MixState state = MixState.NOTHING;

  @BeforeEach
  void begin() throws IOException {
    MixRound.Taken first = taken(0, MixRound.From.NOTHING, 1, 2, 2);
    state = compute(first, 0).state();
  }

  private MixRound.Taken taken(int partition, MixRound.From from, long rows, float... parameters) {
    return taken(partition, from, rows, TinyNetwork.files(parameters));
  }

  private MixRound.Taken taken(
      int partition, MixRound.From from, long rows, SortedMap<String, byte[]> model) {
    SortedMap<String, byte[]> files = new TreeMap<>(model);
    files.put(MixWork.ADOPTED_FILE, NetworkFile.bytes(new float[] {2, 2}));
    ModelCheckpoint stored = place.contribute(partition, files);
    return new MixRound.Taken(
        new MixingRecord(
            "app",
            partition,
            false,
            "one",
            1,
            stored.manifest().version(),
            stored.digest(),
            rows,
            rows,
            new TreeMap<>(),
            false),
        from,
        rows);
  }

  private MixWork.Computed compute(MixRound.Taken taken, double typical) throws IOException {
    return work.compute(new MixRound(2, List.of(taken), 1_000, typical), state, true);
  }

  private static float[] parameters(MixWork.Computed computed) throws IOException {
    return ModelMix.parameters(computed.state().files());
  }

  @Test
  void compute_twoLearners_mixesTheWorkedExample() throws IOException {
    MixRound round =
        new MixRound(
            2,
            List.of(
                taken(0, MixRound.From.ADOPTED, 3, 3, 2), taken(1, MixRound.From.ADOPTED, 1, 2, 4)),
            1_000,
            0);
    MixWork.Computed computed = work.compute(round, state, true);
    assertThat(parameters(computed)).containsExactly(2.75f, 2.5f);
    assertThat(computed.contained()).containsOnlyKeys(0, 1);
    assertThat(MixState.decode(computed.state().encode()).encode())
        .isEqualTo(computed.state().encode());
    assertThat(work.compute(round, state, true).state().encode())
        .isEqualTo(computed.state().encode());
  }

  @Test
  void compute_contributionThatIsGone_isLeftOutAndTold() throws IOException {
    MixRound.Taken taken = taken(0, MixRound.From.ADOPTED, 3, 9, 9);
    place.lose(taken.record().digest());
    MixWork.Computed computed = compute(taken, 0);
    assertThat(parameters(computed)).containsExactly(2, 2);
    assertThat(computed.contained()).isEmpty();
    assertThat(computed.state().notes())
        .containsExactly("contribution 2 of partition 0 is left out: it is gone");
  }

  @Test
  void compute_storeThatDoesNotAnswer_isTriedAgainAndLeavesNothingOut() throws IOException {
    MixRound round = new MixRound(2, List.of(taken(0, MixRound.From.ADOPTED, 3, 9, 9)), 1_000, 0);
    place.reachable(false);
    assertThatThrownBy(() -> work.compute(round, state, true)).hasMessageContaining("not answer");
    MixWork.Computed without = work.compute(round, state, false);
    assertThat(without.unread()).containsExactly(0);
    assertThat(without.state().notes())
        .containsExactly("contribution 2 of partition 0 is left out: the store does not answer");
    place.reachable(true);
    assertThat(parameters(work.compute(round, state, true))).containsExactly(9, 9);
  }

  @Test
  void compute_progressWithoutNewSamples_isNotLost() throws IOException {
    assertThat(parameters(compute(taken(0, MixRound.From.ADOPTED, 0, 9, 9), 0)))
        .containsExactly(9, 9);
  }

  @Test
  void compute_contributionAfterOneThatWasLeftOut_containsIt() throws IOException {
    MixWork.Computed computed = compute(taken(0, MixRound.From.CONTRIBUTED, 5, 4, 7), 0);
    assertThat(parameters(computed)).containsExactly(4, 7);
  }

  @Test
  void compute_progressOfUnusualLength_isCutAndTold() throws IOException {
    MixWork.Computed computed = compute(taken(0, MixRound.From.ADOPTED, 3, 102, 2), 1);
    assertThat(parameters(computed)).containsExactly(12, 2);
    assertThat(computed.contained().get(0)).isEqualTo(100);
    assertThat(computed.state().notes().get(0)).contains("partition 0 is cut to 0.1");
  }

  @Test
  void compute_numberThatIsNotFinite_isLeftOut() throws IOException {
    MixWork.Computed computed = compute(taken(0, MixRound.From.ADOPTED, 3, Float.NaN, 2), 0);
    assertThat(parameters(computed)).containsExactly(2, 2);
    assertThat(computed.state().notes().get(0)).contains("a parameter is not finite");
  }

  @ParameterizedTest
  @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
  void compute_updaterStateThatIsNotFinite_isLeftOut(float wrong) throws IOException {
    SortedMap<String, byte[]> sound = TinyNetwork.files(new float[] {2, 2}, new float[] {1, 1});
    MixRound.Taken first = taken(0, MixRound.From.NOTHING, 1, sound);
    state = work.compute(new MixRound(1, List.of(first), 1_000, 0), MixState.NOTHING, true).state();
    MixRound.Taken one =
        taken(
            0,
            MixRound.From.ADOPTED,
            1,
            TinyNetwork.files(new float[] {9, 9}, new float[] {1, wrong}));
    MixRound.Taken other =
        taken(
            1, MixRound.From.ADOPTED, 1, TinyNetwork.files(new float[] {4, 2}, new float[] {3, 5}));
    MixWork.Computed computed =
        work.compute(new MixRound(2, List.of(one, other), 1_000, 0), state, true);
    assertThat(computed.contained()).containsOnlyKeys(1);
    assertThat(parameters(computed)).containsExactly(4, 2);
    assertThat(ModelMix.updaterState(computed.state().files())).containsExactly(3, 5);
    assertThat(computed.state().notes())
        .singleElement()
        .asString()
        .contains("partition 0 is left out: a number of its updater state is not finite");
  }

  @Test
  void compute_anotherNetwork_isLeftOut() throws IOException {
    MixWork.Computed computed = compute(taken(1, MixRound.From.ADOPTED, 3, 1, 2, 3), 0);
    assertThat(parameters(computed)).containsExactly(2, 2);
    assertThat(computed.contained()).isEmpty();
  }
}
