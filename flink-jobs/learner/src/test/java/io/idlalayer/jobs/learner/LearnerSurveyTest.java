package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a learner notices in its events, in its status. */
final class LearnerSurveyTest {
  @TempDir Path folder;

  private LearnerSimulation simulation() {
    return new LearnerSimulation(
        UpdateSettings.of(RuleName.MANUAL, 10),
        DataSettings.defaults(),
        folder.resolve("models"),
        request -> false);
  }

  private static Surveyed surveyed(LearnerSimulation sim) {
    return Objects.requireNonNull(sim.last().status().survey());
  }

  @Test
  void status_ofEventsThatWereRefused_saysWhy() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      sim.arrive("a", 1, 0);
      sim.malformed();
      sim.malformed();
      sim.send(new LearnerEvent.UndeclaredFields(sim.next(), List.of("X")));
      sim.pass(2_000);
      Surveyed found = surveyed(sim);
      assertThat(found.events()).isEqualTo(3);
      assertThat(found.refused()).isEqualTo(2);
      assertThat(found.labelled()).isEqualTo(1);
      assertThat(found.refusals())
          .containsExactly(new Surveyed.RefusedKind("x: missing", 2, "events-0", 0, "", "{}"));
      assertThat(found.undeclared()).containsExactly(new Surveyed.NameCount("X", 1));
      assertThat(found.unseenClasses().names()).containsExactly("1");
    }
  }

  @Test
  void status_afterARestart_goesOn() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      sim.arrive("a", 1, 0);
      sim.malformed();
      sim.crash();
      sim.arrive("b", 2, 1);
      sim.malformed();
      sim.pass(2_000);
      Surveyed found = surveyed(sim);
      assertThat(found.events()).isEqualTo(4);
      assertThat(found.refusals()).extracting(Surveyed.RefusedKind::count).containsExactly(2L);
      assertThat(found.unseenClasses().count()).isZero();
      assertThat(found.constant().first()).as("x and id have changed").isEmpty();
    }
  }

  @Test
  void status_afterAnEnd_isOfTheNextInput() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      sim.arrive("a", 1, 0);
      sim.malformed();
      sim.finish();
      assertThat(surveyed(sim).refused()).as("the input that has ended").isEqualTo(1);
      sim.arrive("b", 2, 1);
      sim.pass(2_000);
      Surveyed found = surveyed(sim);
      assertThat(found.events()).isEqualTo(1);
      assertThat(found.refused()).isZero();
      assertThat(found.unseenClasses().names()).containsExactly("0");
    }
  }
}
