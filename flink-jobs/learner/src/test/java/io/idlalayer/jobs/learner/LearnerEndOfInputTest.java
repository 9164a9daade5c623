package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An end of input while others go on to send. */
final class LearnerEndOfInputTest {
  private static final int BEFORE = 20;
  private static final int LATER_MAX = 200;

  @TempDir Path models;

  /** Its input has ended after a few samples. */
  private LearnerSimulation ended() throws InterruptedException {
    UpdateSettings manual =
        UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10)
            .with(new UpdateSettings.Limits(60, 0, 0));
    LearnerSimulation sim =
        new LearnerSimulation(manual, DataSettings.defaults(), models, request -> false);
    for (int i = 0; i < BEFORE; i++) {
      sim.arrive("before" + i, i, i % 2);
    }
    sim.end();
    return sim;
  }

  private static boolean finished(LearnerSimulation sim) {
    return sim.events.stream().anyMatch(it -> it.type() == DecisionEvent.Type.FINISHED);
  }

  @Test
  void end_othersSendOn_isReachedWhenWhatCameBeforeIsTrained() throws Exception {
    try (LearnerSimulation sim = ended()) {
      int later = 0;
      while (!finished(sim) && later < LATER_MAX) {
        // There is never a moment at which nothing waits.
        sim.arrive("later" + later, BEFORE + later, later % 2);
        later++;
        sim.work();
        sim.pass(700);
      }
      assertThat(later).as("others cannot keep the end away").isLessThan(LATER_MAX);
      DecisionEvent end = sim.last();
      assertThat(end.type()).isEqualTo(DecisionEvent.Type.FINISHED);
      assertThat(end.status().stages().newborn()).as("what waits came later").isPositive();
      assertThat(end.status().trainedNewSamples()).isGreaterThanOrEqualTo(BEFORE);
      for (long id = 1; id <= BEFORE; id++) {
        assertThat(sim.lineage()).contains(id);
      }
    }
  }

  @Test
  void end_samplesFromBeforeStillTrain_isNotReached() throws Exception {
    try (LearnerSimulation sim = ended()) {
      sim.step(5_000);
      // What came before trains and does not wait; what waits came later.
      for (int i = 0; i < 50; i++) {
        sim.arrive("later" + i, BEFORE + i, i % 2);
        sim.step(5_000);
      }
      assertThat(finished(sim)).isFalse();
      sim.runToEnd();
      assertThat(sim.last().status().trainedNewSamples()).isGreaterThanOrEqualTo(BEFORE);
    }
  }

  @Test
  void end_aSampleFromBeforeStillWaits_isNotReached() throws Exception {
    try (LearnerSimulation sim = ended()) {
      // The trainer thread does not come to it, and time passes.
      for (int i = 0; i < 50; i++) {
        sim.arrive("later" + i, BEFORE + i, i % 2);
        sim.step(5_000);
      }
      assertThat(finished(sim)).isFalse();
      sim.runToEnd();
      assertThat(sim.last().status().input().ends()).containsExactly("1");
    }
  }
}
