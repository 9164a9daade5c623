package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Where the one update of a learner stands, and the update that was fired. {@link Transition} is
 * the whole table; a transition that its state does not allow is refused. Starts and ends no
 * training itself: {@link UpdatePipeline} does.
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
 * <p>The pause after a failed training is none of these: the update controller keeps it, and
 * decides when the next update fires. Confined to one thread.
 */
public final class UpdateCycle {
  /** Where the update stands. */
  enum State {
    /** No update is fired. */
    IDLE,
    /** Its training is queued, runs, or has ended and was not looked at. */
    TRAINING,
    /** A restart has cut its training off, which begins anew at the first tick. */
    PAUSED
  }

  /** Every way from state to state, with what is written then. */
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
        Slot.TABLES),
    DROP(
        EnumSet.of(State.TRAINING),
        State.IDLE,
        Slot.COUNTERS,
        Slot.FIRED_UPDATE,
        Slot.DATA,
        Slot.UPDATE),
    ABORT(EnumSet.of(State.TRAINING), State.IDLE, Slot.COUNTERS, Slot.FIRED_UPDATE),
    /** Read back from state, so there is nothing to write. */
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

  /** Whether an update is fired, so that none may be fired. */
  public boolean busy() {
    return state != State.IDLE;
  }

  /** The update that is fired, or null if the cycle is idle. */
  public @Nullable FiredUpdate fired() {
    return fired;
  }

  /** The training, if it has ended; null if it has not, or there is none. */
  @Nullable Future<TrainingResult> ended() {
    Future<TrainingResult> running = training;
    return running != null && running.isDone() ? running : null;
  }

  /** The training that is under way, ended or not; null if there is none. */
  @Nullable Future<TrainingResult> training() {
    return training;
  }

  /** An update was read back from state; its training has not begun. */
  public void restore(FiredUpdate update) {
    move(Transition.RESTORE);
    fired = update;
  }

  /**
   * The training of an update has begun.
   *
   * @param how {@link Transition#FIRE} or {@link Transition#RESUME}
   */
  void train(Transition how, FiredUpdate update, Future<TrainingResult> begun) {
    move(how);
    fired = update;
    training = begun;
  }

  /** A sample of the update lost its label while it trains. */
  void withdrawLabel(FiredUpdate without) {
    move(Transition.WITHDRAW_LABEL);
    fired = without;
  }

  /** The update is over: by {@code ACCEPT}, {@code DROP}, {@code ABORT} or {@code GIVE_UP}. */
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
