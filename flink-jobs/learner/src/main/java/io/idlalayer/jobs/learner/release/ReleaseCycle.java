package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of the release of a learner's newest model, and the pin that is being set. {@link
 * Transition} is the table of all transitions; a transition that the state does not allow is
 * refused. {@link ReleaseGate} makes the comparisons, and {@link Release} sets the pins.
 *
 * <pre>
 *            HOLD           RELEASE             SERVE
 *   QUIET ----------&gt; HELD ---------&gt; COMING ---------&gt; COMPARING &lt;--+ RETRY_PIN,
 *     |  \              | REFUSE        ^                |     |       | OVERTAKE,
 *     |   \             v               |            PIN |     | TELL  | YIELD_TO_NEWER
 *     |    \        GIVEN_UP            |                v     v       |
 *     |     \           ^               |             PINNING  SETTLED |
 *     |      \          | ROLL_BACK     |                | |     ^     |
 *     |       \         +---------------+----------------+ |     | GIVE_UP_PIN
 *     |        \    COMPARE             |                  +-----+-----+
 *     |         +-----------------------+ ROLL_BACK_OLDER, YIELD
 *     | FIND, CONTINUE, FOLLOW_PEOPLE
 *     +---------------&gt; GIVEN_UP          END, REPLACE, UNPIN: to QUIET
 * </pre>
 *
 * <p>An accepted model is held or compared from each state except PINNING, in which no model is
 * accepted. If the release gate is off, the state stays QUIET. Confined to one thread.
 */
final class ReleaseCycle {
  /** The states of a release. */
  enum State {
    /** No models are compared. The newest model serves, or is being published. */
    QUIET,
    /** No models are compared. The newest model was given up, and an older version serves. */
    GIVEN_UP,
    /** The newest model is compared, and published only if it is not worse. */
    HELD,
    /** Models are compared; the first of them is being published. */
    COMING,
    /** Models are compared, and one of them is in service. */
    COMPARING,
    /** The version in service is worse, and the baseline is being put in service. */
    PINNING,
    /** The compared models are worse, and no action follows. */
    SETTLED
  }

  /** All transitions between states, with the state that each one writes. */
  enum Transition implements StateChange {
    /**
     * A model is accepted and waits for its comparison. The state is written with {@code ACCEPT} of
     * the update, or was written before.
     */
    HOLD(
        EnumSet.of(
            State.QUIET, State.GIVEN_UP, State.HELD, State.COMING, State.COMPARING, State.SETTLED),
        State.HELD),
    /** A model is accepted and its comparison begins. The state is written as for {@link #HOLD}. */
    COMPARE(
        EnumSet.of(State.QUIET, State.GIVEN_UP, State.COMING, State.COMPARING, State.SETTLED),
        State.COMING),
    /** The held model is published, and its comparison continues. */
    RELEASE(EnumSet.of(State.HELD), State.COMING),
    /** The held model is refused and not published. */
    REFUSE(
        EnumSet.of(State.HELD),
        State.GIVEN_UP,
        Slot.COUNTERS,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.TABLES),
    /** The baseline cannot score any more; a held model is published. */
    END(EnumSet.of(State.HELD, State.COMING, State.COMPARING, State.SETTLED), State.QUIET),
    /** A compared model is published. The state is written with that publication. */
    SERVE(EnumSet.of(State.COMING), State.COMPARING),
    /** After a model was given up, a model arrives that is not compared with any other. */
    REPLACE(EnumSet.of(State.GIVEN_UP), State.QUIET),
    /** The newest model was found worse, which was reported if the settings ask for it. */
    TELL(EnumSet.of(State.COMPARING), State.SETTLED),
    /** A thread sets a pin to the baseline. */
    PIN(EnumSet.of(State.COMPARING), State.PINNING),
    /** The baseline serves in place of the newest version. */
    ROLL_BACK(
        EnumSet.of(State.PINNING),
        State.GIVEN_UP,
        Slot.COUNTERS,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.TABLES),
    /** The baseline serves, and a newer model than the rolled-back one is being published. */
    ROLL_BACK_OLDER(EnumSet.of(State.PINNING), State.COMING, Slot.COUNTERS),
    /** A version that is newer than the version to be rolled back serves already. */
    OVERTAKE(EnumSet.of(State.PINNING), State.COMPARING, Slot.COUNTERS),
    /** The pin could not be set, and is tried again. */
    RETRY_PIN(EnumSet.of(State.PINNING), State.COMPARING),
    /** The pin cannot be set: the baseline is missing, or a user has pinned a version. */
    GIVE_UP_PIN(EnumSet.of(State.PINNING), State.SETTLED),
    /** A user has replaced the version, and a newer model is being published. */
    YIELD(EnumSet.of(State.PINNING), State.COMING),
    /** A user has replaced the version, and a newer version serves already. */
    YIELD_TO_NEWER(EnumSet.of(State.PINNING), State.COMPARING),
    /** A user has put an older version in service. */
    FOLLOW_PEOPLE(
        EnumSet.of(State.QUIET, State.GIVEN_UP, State.COMPARING, State.SETTLED),
        State.GIVEN_UP,
        Slot.COUNTERS,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.TABLES),
    /** A user has removed the pin, and the newest version serves again. */
    UNPIN(EnumSet.of(State.GIVEN_UP), State.QUIET),
    /** A start of the learner finds that an older version serves, as the state says. */
    FIND(EnumSet.of(State.QUIET), State.GIVEN_UP),
    /**
     * A start of the learner finds that an older version serves, and records that the newest model
     * is given up.
     */
    CONTINUE(
        EnumSet.of(State.QUIET),
        State.GIVEN_UP,
        Slot.COUNTERS,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.TABLES);

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

  private State state = State.QUIET;
  private @Nullable RollBack rollBack;

  State state() {
    return state;
  }

  /** Returns the pin that is being set; null in each state but {@code PINNING}. */
  @Nullable RollBack rollBack() {
    return rollBack;
  }

  /** Records that a thread sets the pin of a rollback. */
  void pin(RollBack begun) {
    move(Transition.PIN);
    rollBack = begun;
  }

  void move(Transition transition) {
    if (!transition.from.contains(state)) {
      throw new IllegalStateException(
          "a release cannot %s while it is %s".formatted(transition, state));
    }
    state = transition.to;
    rollBack = null;
  }
}
