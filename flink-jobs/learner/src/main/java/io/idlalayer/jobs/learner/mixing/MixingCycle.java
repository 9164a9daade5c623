package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a learner whose model is mixed. {@link Transition} is the whole table; a transition
 * that the state does not allow is refused.
 *
 * <pre>
 *   ALONE, SETTLED, LATE, REFUSED --CONTRIBUTE--&gt; OPEN --ADOPT--&gt; SETTLED     (ADOPT: from
 *                                                  \__ EXPIRE --&gt; LATE          every state)
 *                                                   \_ REFUSE --&gt; REFUSED
 *   ALONE --RESTORE--&gt; OPEN or SETTLED
 * </pre>
 *
 * <p>While a contribution is open, the learner trains on, and contributes no other one: each mixed
 * version then contains all that it has contributed, so that it can adopt it. A contribution that
 * no version contains in time, or whose mixed model the release gate refuses, does not stop it; it
 * goes on alone. Confined to one thread.
 */
public final class MixingCycle {
  /** The states of a learner whose model is mixed. */
  enum State {
    /** It has adopted no version, and contributed nothing. */
    ALONE,
    /** Its last contribution waits for a version that contains it. */
    OPEN,
    /** Its model goes on from the last version that it has adopted. */
    SETTLED,
    /** No version has contained its last contribution in time. */
    LATE,
    /** The release gate has refused the mixed model with its last contribution. */
    REFUSED
  }

  /** All transitions between states, with the state that each one writes. */
  public enum Transition implements StateChange {
    CONTRIBUTE(
        EnumSet.of(State.ALONE, State.SETTLED, State.LATE, State.REFUSED), State.OPEN, Slot.MIXING),
    ADOPT(
        EnumSet.allOf(State.class),
        State.SETTLED,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.COUNTERS,
        Slot.INCORPORATION,
        Slot.DATA,
        Slot.TABLES,
        Slot.MIXING),
    EXPIRE(EnumSet.of(State.OPEN), State.LATE, Slot.MIXING),
    REFUSE(EnumSet.of(State.OPEN), State.REFUSED, Slot.MIXING, Slot.COUNTERS),
    /** A start restores a contribution that no version has contained yet. */
    RESTORE_OPEN(EnumSet.of(State.ALONE), State.OPEN),
    /** A start restores a model that goes on from a mixed version, or a late contribution. */
    RESTORE(EnumSet.of(State.ALONE), State.SETTLED);

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

  private State state = State.ALONE;

  State state() {
    return state;
  }

  void move(Transition transition) {
    if (!transition.from.contains(state)) {
      throw new IllegalStateException(
          "a learner whose model is mixed cannot %s while it is %s".formatted(transition, state));
    }
    state = transition.to;
  }
}
