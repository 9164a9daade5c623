package io.idlalayer.jobs.learner.forget;

import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.learner.state.StateChange;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a learner's forgetting. {@link Transition} is the table of all transitions; a
 * transition that the state does not allow is refused.
 *
 * <pre>
 *          REQUEST                 BEGIN                 END
 *   IDLE ------------&gt; WAITING ------------&gt; RETRAINING ------&gt; IDLE
 *     | RESTORE        ^  \__ REQUEST          |  \__ REQUEST_MORE: as before
 *     +----------------+  +--------------------+ END_WITH_MORE
 * </pre>
 *
 * <p>A restart in the middle of a retraining restores {@code WAITING}: the retraining begins again
 * from its start. {@link Forgetting#begun} then returns true. Confined to one thread.
 */
public final class ForgetCycle {
  /** The states of forgetting. */
  enum State {
    /** No request waits. */
    IDLE,
    /** Requests wait for the retraining, and updates go on. */
    WAITING,
    /** Logged updates are trained again; no other update is fired, and no model is published. */
    RETRAINING
  }

  /** All transitions between states, with the state that each one writes. */
  public enum Transition implements StateChange {
    /** A learner begins without state. */
    BEGIN_LOG(EnumSet.of(State.IDLE), null, Slot.FORGETTING, Slot.ANCHORS),
    /** A request is answered without a retraining. */
    ANSWER(EnumSet.allOf(State.class), null, Slot.FORGETTING),
    REQUEST(EnumSet.of(State.IDLE, State.WAITING), State.WAITING, Slot.FORGETTING),
    /** Another request comes while earlier requests are carried out. */
    REQUEST_MORE(EnumSet.of(State.RETRAINING), State.RETRAINING, Slot.FORGETTING),
    /** The model is marked as not to be published, so that no restart publishes it. */
    BEGIN(EnumSet.of(State.WAITING), State.RETRAINING, Slot.MODEL, Slot.FORGETTING),
    END(
        EnumSet.of(State.RETRAINING),
        State.IDLE,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.FORGETTING,
        Slot.ANCHORS,
        Slot.COMPARISON,
        Slot.COMPARED_VERSIONS),
    /** The retraining has ended, and requests have come meanwhile. */
    END_WITH_MORE(
        EnumSet.of(State.RETRAINING),
        State.WAITING,
        Slot.MODEL,
        Slot.ARTIFACT,
        Slot.PUBLISHING,
        Slot.FORGETTING,
        Slot.ANCHORS,
        Slot.COMPARISON,
        Slot.COMPARED_VERSIONS),
    /** The first version that has forgotten is published. */
    PUBLISH(EnumSet.allOf(State.class), null, Slot.FORGETTING),
    /** All versions before the first version that has forgotten are deleted. */
    ANNOUNCE(EnumSet.allOf(State.class), null, Slot.FORGETTING),
    /** A start restores requests from state, so nothing is written. */
    RESTORE(EnumSet.of(State.IDLE), State.WAITING);

    private final Set<State> from;
    private final @Nullable State to;
    private final Set<Slot> slots;

    /**
     * @param to the next state; null if the state does not change
     */
    Transition(Set<State> from, @Nullable State to, Slot... slots) {
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

  State state() {
    return state;
  }

  void move(Transition transition) {
    if (!transition.from.contains(state)) {
      throw new IllegalStateException(
          "forgetting cannot %s while it is %s".formatted(transition, state));
    }
    State next = transition.to;
    if (next != null) {
      state = next;
    }
  }
}
