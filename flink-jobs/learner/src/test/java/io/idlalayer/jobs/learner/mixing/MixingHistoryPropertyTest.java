package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.LearnerSimulation;
import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.Mixer;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.testkit.Tries;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Histories of learners that learn one model, with failures at each moment. */
final class MixingHistoryPropertyTest {
  private static final int HISTORIES = Tries.choose(40, 1_000);

  private static final ApplicationSettings SETTINGS =
      LearnerSimulation.settings(
          UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10), DataSettings.defaults());

  @Test
  void history_anySeed_learnsEachEventOnceInOneModel() {
    Set<Mixer.State> failedIn = EnumSet.noneOf(Mixer.State.class);
    Set<CandidateVerdict.Outcome> outcomes = EnumSet.noneOf(CandidateVerdict.Outcome.class);
    for (long seed = 0; seed < HISTORIES; seed++) {
      try {
        MixingHistory history = new MixingHistory(seed, HistoryBug.NONE, SETTINGS);
        history.run();
        failedIn.addAll(history.failedIn());
        outcomes.addAll(history.outcomes());
      } catch (AssertionError | IOException | RuntimeException wrong) {
        throw new AssertionError("history " + seed, wrong);
      }
    }
    assertThat(failedIn).containsExactlyInAnyOrder(Mixer.State.values());
    assertThat(outcomes).containsExactlyInAnyOrder(CandidateVerdict.Outcome.values());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "NONE",
        "LATE_ROWS_DROPPED",
        "USES_NOT_COUNTED",
        "USES_COUNTED_TWICE",
        "SHARED_ROWS_DROPPED"
      })
  void history_mixerWithABug_isFound(HistoryBug bug) {
    boolean found = false;
    for (long seed = 0; seed < HISTORIES && !found; seed++) {
      try {
        new MixingHistory(seed, bug, SETTINGS).run();
      } catch (AssertionError | IOException | RuntimeException wrong) {
        found = true;
      }
    }
    assertThat(found).isTrue();
  }
}
