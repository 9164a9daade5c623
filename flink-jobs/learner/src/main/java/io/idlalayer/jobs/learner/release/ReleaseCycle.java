package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the release of a learner's newest model stands, and the pin that is being set. {@link
 * Transition} is the whole table; a transition that its state does not allow is refused. Compares
 * nothing and pins nothing itself: {@link ReleaseGate} and {@link Release} do.
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
 * <p>A model that is accepted is held or compared from each state but PINNING, in which none is
 * accepted. With a release gate that is off it stays QUIET. Confined to one thread.
 */
final class ReleaseCycle {
  /** Where it stands. */
  enum State {
    /** Nothing is compared. The newest model serves, or is on its way. */
    QUIET,
    /** Nothing is compared. The newest model was given up, and an older version serves. */
    GIVEN_UP,
    /** The newest model is compared, and published only if it is not worse. */
    HELD,
    /** Models are compared; the first of them is on its way to those who serve. */
    COMING,
    /** Models are compared, and one of them serves. */
    COMPARING,
    /** The version in service is worse, and the baseline is being put in service. */
    PINNING,
    /** The models that are compared are worse, and nothing more follows from that. */
    SETTLED
  }

  /** Every way from state to state, with what is written then. */
  enum Transition implements StateChange {
    /**
     * A model is accepted and waits for its comparison. Its state is written with {@code ACCEPT} of
     * the update, or was written before.
     */
    HOLD(
        EnumSet.of(
            State.QUIET, State.GIVEN_UP, State.HELD, State.COMING, State.COMPARING, State.SETTLED),
        State.HELD),
    /** A model is accepted and begins a comparison. Its state is written as with {@link #HOLD}. */
    COMPARE(
        EnumSet.of(State.QUIET, State.GIVEN_UP, State.COMING, State.COMPARING, State.SETTLED),
        State.COMING),
    /** The model that was held is published, and compared on. */
    RELEASE(EnumSet.of(State.HELD), State.COMING),
    /** The model that was held is not published. */
    REFUSE(
        EnumSet.of(State.HELD),
        State.GIVEN_UP,
        Slot.COUNTERS,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.TABLES),
    /** The baseline cannot score any more; a model that was held is published. */
    END(EnumSet.of(State.HELD, State.COMING, State.COMPARING, State.SETTLED), State.QUIET),
    /** A model that is compared is published. Its state is written with that publication. */
    SERVE(EnumSet.of(State.COMING), State.COMPARING),
    /** After a model was given up, a model arrives with which nothing is compared. */
    REPLACE(EnumSet.of(State.GIVEN_UP), State.QUIET),
    /** It was found that the newest model is worse, and people were told if they want to be. */
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
    /** The baseline serves, and a newer model than the one that was left is on its way. */
    ROLL_BACK_OLDER(EnumSet.of(State.PINNING), State.COMING, Slot.COUNTERS),
    /** A newer version serves already than the one that was to be left. */
    OVERTAKE(EnumSet.of(State.PINNING), State.COMPARING, Slot.COUNTERS),
    /** The pin could not be set, and is tried again. */
    RETRY_PIN(EnumSet.of(State.PINNING), State.COMPARING),
    /** The pin cannot be set: the baseline is gone, or people have pinned a version. */
    GIVE_UP_PIN(EnumSet.of(State.PINNING), State.SETTLED),
    /** People have left the version themselves, and a newer model is on its way. */
    YIELD(EnumSet.of(State.PINNING), State.COMING),
    /** People have left the version themselves, and a newer version serves already. */
    YIELD_TO_NEWER(EnumSet.of(State.PINNING), State.COMPARING),
    /** People have put an older version in service. */
    FOLLOW_PEOPLE(
        EnumSet.of(State.QUIET, State.GIVEN_UP, State.COMPARING, State.SETTLED),
        State.GIVEN_UP,
        Slot.COUNTERS,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.TABLES),
    /** People let the newest version serve again. */
    UNPIN(EnumSet.of(State.GIVEN_UP), State.QUIET),
    /** A start finds that an older version serves, as the state says. */
    FIND(EnumSet.of(State.QUIET), State.GIVEN_UP),
    /** A start finds that an older version serves, and puts down that the newest is given up. */
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

  /** The pin that is being set; null in each state but {@code PINNING}. */
  @Nullable RollBack rollBack() {
    return rollBack;
  }

  /** A pin is being set. */
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
