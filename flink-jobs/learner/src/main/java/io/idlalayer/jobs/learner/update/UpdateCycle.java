package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The state of a learner's update (idle, training or paused), and the update that was fired. {@link
 * Transition} is the table of all transitions; a transition that the state does not allow is
 * refused. {@link UpdatePipeline} starts and ends the trainings.
 *
 * <pre>
 *            FIRE                    ACCEPT, DROP, ABORT
 *   IDLE ------------&gt; TRAINING ------------------------&gt; IDLE
 *     |                   ^   \__ WITHDRAW_LABEL: as before
 *     | RESTORE           |
 *     +-----&gt; PAUSED -----+ RESUME
 *                \__ GIVE_UP --&gt; IDLE
 * </pre>
 *
 * <p>The pause after a failed training is not among these states: the update controller keeps it,
 * and decides when the next update fires. Confined to one thread.
 */
public final class UpdateCycle {
  /** The states of an update. */
  enum State {
    /** No update is fired. */
    IDLE,
    /** The training is queued, is running, or has ended and was not polled yet. */
    TRAINING,
    /** A restart has interrupted the training, which begins again at the first tick. */
    PAUSED
  }

  /** All transitions between states, with the state that each one writes. */
  public enum Transition implements StateChange {
    FIRE(EnumSet.of(State.IDLE), State.TRAINING, Slot.FIRED_UPDATE),
    WITHDRAW_LABEL(EnumSet.of(State.TRAINING), State.TRAINING, Slot.FIRED_UPDATE),
    ACCEPT(
        EnumSet.of(State.TRAINING),
        State.IDLE,
        Slot.COUNTERS,
        Slot.FIRED_UPDATE,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.DATA,
        Slot.UPDATE,
        Slot.DRIFT,
        Slot.TABLES,
        Slot.FORGETTING,
        Slot.ANCHORS),
    DROP(
        EnumSet.of(State.TRAINING),
        State.IDLE,
        Slot.COUNTERS,
        Slot.FIRED_UPDATE,
        Slot.DATA,
        Slot.UPDATE),
    ABORT(EnumSet.of(State.TRAINING), State.IDLE, Slot.COUNTERS, Slot.FIRED_UPDATE),
    /** The update is restored from state, so nothing is written. */
    RESTORE(EnumSet.of(State.IDLE), State.PAUSED),
    RESUME(EnumSet.of(State.PAUSED), State.TRAINING, Slot.FIRED_UPDATE),
    GIVE_UP(EnumSet.of(State.PAUSED), State.IDLE, Slot.COUNTERS, Slot.FIRED_UPDATE);

    private final Set<State> from;
    private final State to;
    private final Set<Slot> slots;

    Transition(Set<State> from, State to, Slot... slots) {
      this.from = from;
      this.to = to;
      this.slots = Set.of(slots);
    }

    @Override
    public Set<Slot> slots() {
      return slots;
    }
  }

  private State state = State.IDLE;
  private @Nullable FiredUpdate fired;
  private @Nullable Future<TrainingResult> training;

  State state() {
    return state;
  }

  /** Returns whether an update is fired, so that no other update can be fired. */
  public boolean busy() {
    return state != State.IDLE;
  }

  /** Returns the update that is fired, or null if the cycle is idle. */
  public @Nullable FiredUpdate fired() {
    return fired;
  }

  /** Returns the training if it has ended; null if it has not ended, or if there is none. */
  @Nullable Future<TrainingResult> ended() {
    Future<TrainingResult> running = training;
    return running != null && running.isDone() ? running : null;
  }

  /** Returns the training of the fired update, ended or not; null if there is none. */
  @Nullable Future<TrainingResult> training() {
    return training;
  }

  /** Sets the update that was restored from state. Its training has not begun. */
  public void restore(FiredUpdate update) {
    move(Transition.RESTORE);
    fired = update;
  }

  /**
   * Records that the training of an update has begun.
   *
   * @param how the transition {@link Transition#FIRE} or {@link Transition#RESUME}
   */
  void train(Transition how, FiredUpdate update, Future<TrainingResult> begun) {
    move(how);
    fired = update;
    training = begun;
  }

  /** Records that a sample of the update lost its label during the training. */
  void withdrawLabel(FiredUpdate without) {
    move(Transition.WITHDRAW_LABEL);
    fired = without;
  }

  /**
   * Ends the update with one of the transitions {@code ACCEPT}, {@code DROP}, {@code ABORT} or
   * {@code GIVE_UP}.
   */
  public void end(Transition how) {
    move(how);
    fired = null;
    training = null;
  }

  private void move(Transition transition) {
    if (!transition.from.contains(state)) {
      throw new IllegalStateException(
          "an update cannot %s while it is %s".formatted(transition, state));
    }
    state = transition.to;
  }
}
