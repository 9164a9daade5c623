package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.LearnerSimulation;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.InputGate;
import io.idlalayer.jobs.source.LearnerPlacement;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.InputTopics;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A restored job whose wall clock was set back, with the engine's own state and timers. */
final class RestoredClockTest {
  private static final long DAY_MILLIS = 86_400_000;
  private static final long TIMER_MILLIS = 100 * DAY_MILLIS;
  private static final int EVENTS = 20;

  @TempDir Path folder;

  /** A broker that has one partition, and has lost nothing. */
  private record FakeTopics() implements InputTopics {
    private static final long serialVersionUID = 1L;

    @Override
    public Map<String, Facts> look(Set<String> topics) {
      Facts facts = new Facts("t1", new TreeMap<>(Map.of(0, new Offsets(0, EVENTS))));
      return Map.of("events", facts, "app-control", new Facts("c", new TreeMap<>()));
    }
  }

  private static ApplicationSettings settings() {
    return LearnerSimulation.settings(
        UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
            .with(UpdateSettings.Tuning.defaults().withCount(EVENTS))
            .with(new UpdateSettings.Limits(100, 0, 0)),
        DataSettings.defaults());
  }

  private static OneInputStreamOperatorTestHarness<Arrival, Arrival> gate() throws Exception {
    return new OneInputStreamOperatorTestHarness<>(
        new InputGate(List.of(settings()), new FakeTopics(), StartPositions.EARLIEST));
  }

  private LearnerHarness learners() throws Exception {
    return new LearnerHarness(settings(), folder, HarnessEnvironment.in(folder));
  }

  private static Arrival sample(int i) {
    String key = LearnerPlacement.keys("app", 1).get(0);
    return LearnerHarness.arrival(key, "events", i, Sample.of(new double[] {i}, i % 2));
  }

  @Test
  void restore_wallClockSetBackADay_theGateWakesLearnersWhoseTimersAreADayAway() throws Exception {
    OperatorSubtaskState gateState;
    OperatorSubtaskState learnerState;
    try (var gate = gate();
        var learners = learners()) {
      gate.open();
      learners.open();
      gate.setProcessingTime(TIMER_MILLIS);
      learners.setProcessingTime(TIMER_MILLIS);
      for (int i = 0; i < EVENTS; i++) {
        gate.processElement(sample(i), 0);
      }
      for (Arrival arrival : gate.extractOutputValues()) {
        learners.processElement(arrival, 0);
      }
      assertThat(learners.extractOutputValues().get(0).type()).isEqualTo(DecisionEvent.Type.FIRED);
      assertThat(learners.numProcessingTimeTimers()).isEqualTo(1);
      gateState = gate.snapshot(1, 1);
      learnerState = learners.snapshot(1, 1);
    }
    try (var gate = gate();
        var learners = learners()) {
      gate.initializeState(gateState);
      learners.initializeState(learnerState);
      gate.setProcessingTime(TIMER_MILLIS - DAY_MILLIS);
      learners.setProcessingTime(TIMER_MILLIS - DAY_MILLIS);
      gate.open();
      learners.open();
      assertThat(learners.numProcessingTimeTimers()).isEqualTo(1);
      learners.setProcessingTime(TIMER_MILLIS - DAY_MILLIS + 60_000);
      assertThat(learners.extractOutputValues()).as("its own timer is a day away").isEmpty();

      gate.setProcessingTime(TIMER_MILLIS - DAY_MILLIS + 60_000);
      for (Arrival arrival : gate.extractOutputValues()) {
        learners.processElement(arrival, 0);
      }
      // The training is real and on its own thread, so this waits for it; timers ring by
      // themselves.
      DecisionEvent published =
          learners.await("publication", event -> event.type() == DecisionEvent.Type.PUBLISHED);
      assertThat(published.status().trainedNewSamples()).isEqualTo(EVENTS);
      assertThat(learners.getProcessingTime()).isLessThan(TIMER_MILLIS - DAY_MILLIS / 2);
    }
  }
}
