package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner that goes back to a checkpoint behind the version in service. */
final class LearnerCatchUpTest {
  @TempDir Path models;

  private LearnerSimulation simulation() {
    return new LearnerSimulation(
        UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
            .with(UpdateSettings.Tuning.defaults().withCount(25)),
        DataSettings.defaults(),
        models,
        request -> false);
  }

  private static void learn(LearnerSimulation sim, int from, int count) throws Exception {
    for (int i = from; i < from + count; i++) {
      sim.arrive("", i, i % 2);
    }
    for (int i = 0; i < 20; i++) {
      sim.work();
      sim.step(20);
    }
  }

  private ModelManifest serving(LearnerSimulation sim) throws Exception {
    return sim.models.current("app", 0).orElseThrow().manifest();
  }

  private static String restored(LearnerSimulation sim) {
    return sim.events.stream()
        .filter(event -> event.type() == DecisionEvent.Type.RESTORED)
        .reduce((first, second) -> second)
        .map(event -> String.valueOf(event.message()))
        .orElseThrow();
  }

  @Test
  void restore_behindTheVersionInService_publishesNothingUntilItHasLearnedAsMuch()
      throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      FakeLearnerState before = sim.checkpoint();
      long position = sim.position();
      learn(sim, 25, 25);
      learn(sim, 50, 25);
      assertThat(serving(sim).version()).isEqualTo(3);

      sim.crash(before, position);
      sim.step(20);
      assertThat(restored(sim))
          .isEqualTo(
              "continues after 25 events; it catches up: versions wait until it has learned as"
                  + " much as version 3");
      learn(sim, 25, 25);
      assertThat(serving(sim).version()).as("50 of 75 samples are learned").isEqualTo(3);
      learn(sim, 50, 25);
      ModelManifest caughtUp = serving(sim);
      assertThat(caughtUp.version()).isEqualTo(4);
      assertThat(caughtUp.counts()).containsEntry("trainedNewSamples", 75L);
      assertThat(caughtUp.parentVersion()).isEqualTo(1);
      assertThat(caughtUp.attributes().get("branch"))
          .isEqualTo("continues version 1; version 3 is given up");
      learn(sim, 75, 25);
      assertThat(serving(sim).version()).isEqualTo(5);
    }
  }

  @Test
  void restore_behindAndCrashedAgain_stillWaits() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      FakeLearnerState before = sim.checkpoint();
      long position = sim.position();
      learn(sim, 25, 50);
      assertThat(serving(sim).counts()).containsEntry("trainedNewSamples", 75L);
      long version = serving(sim).version();

      sim.crash(before, position);
      learn(sim, 25, 25);
      sim.crash();
      sim.step(20);
      assertThat(serving(sim).version()).isEqualTo(version);
      assertThat(restored(sim)).endsWith("as much as version " + version);
    }
  }

  @Test
  void restore_theInputEndsEarlier_publishesWhatIsThere() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      FakeLearnerState before = sim.checkpoint();
      long position = sim.position();
      learn(sim, 25, 50);
      long version = serving(sim).version();

      sim.crash(before, position);
      learn(sim, 25, 25);
      assertThat(serving(sim).version()).isEqualTo(version);
      sim.end();
      for (int i = 0; i < 40; i++) {
        sim.work();
        sim.step(500);
      }
      assertThat(serving(sim).version()).isGreaterThan(version);
      assertThat(serving(sim).counts()).containsEntry("trainedNewSamples", 50L);
      assertThat(sim.events).anyMatch(event -> event.type() == DecisionEvent.Type.FINISHED);
    }
  }

  @Test
  void restore_ofThePresentState_publishesAtOnce() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      learn(sim, 0, 25);
      sim.crash();
      learn(sim, 25, 25);
      assertThat(restored(sim)).isEqualTo("continues after 25 events");
      assertThat(serving(sim).version()).isEqualTo(2);
    }
  }
}
