package io.idlalayer.jobs.learner.state;

import java.util.Set;

/** Something that happened to a learner, with the state that it changes. */
public interface StateChange {
  /** Exactly the slots that are written when this happened. */
  Set<LearnerState.Slot> slots();

  /** Changes outside the tables of updates, publications and releases. */
  enum Other implements StateChange {
    /** Events are counted, and positions in the input moved; before each checkpoint. */
    COUNTED(LearnerState.Slot.COUNTERS),
    /** Requests came, were carried out, or the input has something to say. */
    REQUESTED(LearnerState.Slot.REQUESTS),
    /** Rows of tables were deleted. */
    ROWS_DELETED(LearnerState.Slot.TABLES),
    /** Predictions came back. Large with many classes, so at most once a second. */
    SCORED(LearnerState.Slot.EVALUATION, LearnerState.Slot.DRIFT);

    private final Set<LearnerState.Slot> slots;

    Other(LearnerState.Slot... slots) {
      this.slots = Set.of(slots);
    }

    @Override
    public Set<LearnerState.Slot> slots() {
      return slots;
    }
  }
}
