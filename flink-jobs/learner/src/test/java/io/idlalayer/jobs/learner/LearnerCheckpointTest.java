package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.jobs.learner.update.UpdateCycle;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a learner writes when, and what a restore does. */
final class LearnerCheckpointTest {
  @TempDir Path models;

  private LearnerSimulation simulation() {
    return new LearnerSimulation(
        UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10),
        DataSettings.defaults(),
        models,
        request -> false);
  }

  private static Map<Slot, Integer> writes(FakeLearnerState state) {
    Map<Slot, Integer> writes = new EnumMap<>(Slot.class);
    for (Slot slot : Slot.values()) {
      writes.put(slot, state.writes(slot));
    }
    return writes;
  }

  private static Set<Slot> written(LearnerSimulation sim, Map<Slot, Integer> before) {
    EnumSet<Slot> written = EnumSet.noneOf(Slot.class);
    for (Slot slot : Slot.values()) {
      if (sim.state.writes(slot) > before.get(slot)) {
        written.add(slot);
      }
    }
    return written;
  }

  @Test
  void save_anEvent_writesTheCountersOnceBeforeTheNextCheckpoint() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      Map<Slot, Integer> before = writes(sim.state);
      sim.arrive("a", 1, 0);
      sim.arrive("b", 2, 0);
      assertThat(written(sim, before)).isEmpty();
      sim.beforeCheckpoint();
      assertThat(written(sim, before))
          .containsExactlyInAnyOrder(Slot.COUNTERS, Slot.SURVEY, Slot.HISTORY);
      assertThat(sim.state.writes(Slot.COUNTERS)).isEqualTo(before.get(Slot.COUNTERS) + 1);
    }
  }

  @Test
  void save_anAcceptedUpdate_writesTheSlotsOfItsRowBeforeTheNextCheckpoint() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      sim.arrive("a", 1, 0);
      sim.requestTraining();
      sim.work();
      sim.beforeCheckpoint();
      Map<Slot, Integer> before = writes(sim.state);
      sim.step(20);
      assertThat(written(sim, before)).isEmpty();
      sim.beforeCheckpoint();
      Set<Slot> expected = EnumSet.copyOf(UpdateCycle.Transition.ACCEPT.slots());
      expected.addAll(StateChange.Other.COUNTED.slots());
      assertThat(written(sim, before)).isEqualTo(expected);
    }
  }

  @Test
  void save_manyUpdates_writesEachSlotOnceBeforeTheNextCheckpoint() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      for (int i = 0; i < 3; i++) {
        sim.arrive("a" + i, 1, 0);
        sim.requestTraining();
        sim.turn();
        sim.turn();
      }
      assertThat(sim.last().status().updates()).isEqualTo(3);
      Map<Slot, Integer> before = writes(sim.state);
      sim.beforeCheckpoint();
      assertThat(sim.state.writes(Slot.MODEL)).isEqualTo(before.get(Slot.MODEL) + 1);
      assertThat(sim.state.writes(Slot.ARTIFACT)).isEqualTo(before.get(Slot.ARTIFACT) + 1);
      assertThat(sim.lineage()).hasSize(3);
      before = writes(sim.state);
      sim.beforeCheckpoint();
      assertThat(written(sim, before))
          .as("nothing changed since")
          .isEqualTo(StateChange.Other.COUNTED.slots());
    }
  }

  @Test
  void save_duringAnUpdate_hasTheUpdateControllerAsItWasBefore() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      sim.arrive("a", 1, 0);
      sim.requestTraining();
      sim.turn();
      sim.turn();
      byte[] before = sim.written().get(Slot.UPDATE);
      sim.arrive("b", 1, 0);
      sim.requestTraining();
      assertThat(sim.written().get(Slot.FIRED_UPDATE)).isNotNull();
      assertThat(sim.written().get(Slot.UPDATE))
          .as("a restore charges the update that it repeats")
          .isEqualTo(before);
      while (sim.work()) {
        sim.step(20);
      }
      assertThat(sim.last().status().updates()).isEqualTo(2);
      assertThat(sim.written().get(Slot.UPDATE)).isNotEqualTo(before);
    }
  }

  @Test
  void restore_ofARunningTraining_startsNothingBeforeTheFirstTick() throws Exception {
    try (LearnerSimulation sim = simulation()) {
      sim.arrive("a", 1, 0);
      sim.requestTraining();
      sim.events.clear();
      sim.crashWithoutTick();
      assertThat(sim.work()).as("nothing is queued").isFalse();
      assertThat(sim.events).isEmpty();
      assertThatThrownBy(() -> sim.arrive("b", 2, 0)).hasMessageContaining("call tick() before");
      sim.step(1);
      assertThat(sim.events).extracting(DecisionEvent::type).contains(DecisionEvent.Type.RESTORED);
      assertThat(sim.work()).as("the training is queued").isTrue();
    }
  }
}
