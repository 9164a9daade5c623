package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a learner whose model is mixed. {@link Transition} is the table of all transitions;
 * a transition that the state does not allow is refused.
 *
 * <pre>
 *   ALONE, SETTLED, LATE, REFUSED --CONTRIBUTE--&gt; OPEN --ADOPT--&gt; SETTLED     (ADOPT: from
 *                                                  \__ EXPIRE --&gt; LATE          every state)
 *                                                   \_ REFUSE --&gt; REFUSED
 *   ALONE --RESTORE--&gt; OPEN or SETTLED
 * </pre>
 *
 * <p>While a contribution is open, the learner continues to train, but makes no other contribution.
 * So each mixed version contains everything that the learner has contributed, and the learner can
 * adopt the version. If no version contains a contribution in time, or if the release gate refuses
 * the mixed model with the contribution, the learner continues alone. Confined to one thread.
 */
public final class MixingCycle {
  /** The states of a learner whose model is mixed. */
  enum State {
    /** The learner has adopted no version, and contributed nothing. */
    ALONE,
    /** The learner's last contribution waits for a version that contains it. */
    OPEN,
    /** The learner's model continues from the last version that it has adopted. */
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
    /** A start restores a model that continues from a mixed version, or a late contribution. */
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
