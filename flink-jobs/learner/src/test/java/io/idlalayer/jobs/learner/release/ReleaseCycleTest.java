package io.idlalayer.jobs.learner.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.release.ReleaseCycle.State;
import io.idlalayer.jobs.learner.release.ReleaseCycle.Transition;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.EnumSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class ReleaseCycleTest {
  private final ReleaseCycle cycle = new ReleaseCycle();

  private static RollBack rollBack() {
    ServedVersion worse = new ServedVersion(2, "b", 2, new ModelArtifact(new TreeMap<>()));
    ServedVersion baseline = new ServedVersion(1, "a", 1, new ModelArtifact(new TreeMap<>()));
    return new RollBack(worse, baseline, "worse", 5, new CompletableFuture<>());
  }

  @Test
  void move_fromAStateThatDoesNotAllowIt_isRefused() {
    assertThatThrownBy(() -> cycle.move(Transition.REFUSE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a release cannot REFUSE while it is QUIET");
    assertThat(cycle.state()).isEqualTo(State.QUIET);
  }

  @Test
  void move_whileAPinIsSet_acceptsNoModelAndFollowsNobody() {
    cycle.move(Transition.COMPARE);
    cycle.move(Transition.SERVE);
    cycle.pin(rollBack());
    for (Transition each :
        EnumSet.of(Transition.HOLD, Transition.COMPARE, Transition.END, Transition.FOLLOW_PEOPLE)) {
      assertThatThrownBy(() -> cycle.move(each)).hasMessageEndingWith("while it is PINNING");
    }
    assertThat(cycle.rollBack()).isNotNull();
  }

  @Test
  void rollBack_isThereExactlyWhileAPinIsSet() {
    assertThat(cycle.rollBack()).isNull();
    assertThatThrownBy(() -> cycle.pin(rollBack())).hasMessageContaining("cannot PIN");
    assertThat(cycle.rollBack()).isNull();
    cycle.move(Transition.COMPARE);
    cycle.move(Transition.SERVE);
    cycle.pin(rollBack());
    assertThat(cycle.rollBack()).isNotNull();
    cycle.move(Transition.RETRY_PIN);
    assertThat(cycle.rollBack()).isNull();
    assertThat(cycle.state()).isEqualTo(State.COMPARING);
  }

  /** What serves, and what the next update continues, is put down whenever it changes. */
  @Test
  void slots_ofWhatGivesAModelUp_haveTheModel() {
    for (Transition each :
        EnumSet.of(
            Transition.REFUSE,
            Transition.ROLL_BACK,
            Transition.FOLLOW_PEOPLE,
            Transition.CONTINUE)) {
      assertThat(each.slots())
          .containsExactlyInAnyOrder(
              LearnerState.Slot.COUNTERS,
              LearnerState.Slot.MODEL,
              LearnerState.Slot.ARTIFACT,
              LearnerState.Slot.PUBLISHING,
              LearnerState.Slot.TABLES);
    }
    assertThat(Transition.ROLL_BACK_OLDER.slots()).containsExactly(LearnerState.Slot.COUNTERS);
    assertThat(Transition.OVERTAKE.slots()).containsExactly(LearnerState.Slot.COUNTERS);
  }
}
