package io.idlalayer.jobs.learner.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.update.UpdateCycle.State;
import io.idlalayer.jobs.learner.update.UpdateCycle.Transition;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class UpdateCycleTest {
  private final UpdateCycle cycle = new UpdateCycle();

  private static FiredUpdate fired(long number) {
    return new FiredUpdate(
        new Selection(number, new long[] {1}, new long[0]),
        new long[] {1000},
        new UpdateRecord.Firing(1, 1, 0, ExampleEvents.grounds("why")),
        new byte[0]);
  }

  @Test
  void fire_whileAnotherTrains_isRefused() {
    cycle.train(Transition.FIRE, fired(1), new CompletableFuture<>());
    assertThatThrownBy(() -> cycle.train(Transition.FIRE, fired(2), new CompletableFuture<>()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("an update cannot FIRE while it is TRAINING");
    assertThat(cycle.fired().selection().updateNumber()).isEqualTo(1);
  }

  @Test
  void end_ofWhatDoesNotTrain_isRefused() {
    assertThatThrownBy(() -> cycle.end(Transition.ACCEPT))
        .hasMessage("an update cannot ACCEPT while it is IDLE");
    cycle.restore(fired(1));
    assertThatThrownBy(() -> cycle.end(Transition.DROP))
        .hasMessage("an update cannot DROP while it is PAUSED");
  }

  @Test
  void restore_pausesUntilItIsResumed() {
    cycle.restore(fired(7));
    assertThat(cycle.state()).isEqualTo(State.PAUSED);
    assertThat(cycle.busy()).isTrue();
    assertThat(cycle.training()).isNull();
    cycle.train(Transition.RESUME, cycle.fired(), CompletableFuture.completedFuture(null));
    assertThat(cycle.state()).isEqualTo(State.TRAINING);
    assertThat(cycle.ended()).isNotNull();
    cycle.end(Transition.ACCEPT);
    assertThat(cycle.busy()).isFalse();
    assertThat(cycle.fired()).isNull();
  }
}
