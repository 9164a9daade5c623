package io.idlalayer.jobs.learner.state;

import java.util.Set;

/** A change of a learner, with the state slots that the next checkpoint writes for it. */
public interface StateChange {
  /** Returns exactly the slots whose content this change affects. */
  Set<LearnerState.Slot> slots();

  /** Changes that belong to no transition of an update, a publication or a release. */
  enum Other implements StateChange {
    /**
     * Counters, input positions, the survey of the events, or the history of keys changed; written
     * before each checkpoint.
     */
    COUNTED(LearnerState.Slot.COUNTERS, LearnerState.Slot.SURVEY, LearnerState.Slot.HISTORY),
    /** The state was converted to other features or classes. */
    CONVERTED(
        LearnerState.Slot.COUNTERS,
        LearnerState.Slot.SURVEY,
        LearnerState.Slot.HISTORY,
        LearnerState.Slot.EVALUATION,
        LearnerState.Slot.WITHOUT_CONTEXT,
        LearnerState.Slot.COMPARISON,
        LearnerState.Slot.COMPARED_VERSIONS,
        LearnerState.Slot.MIXTURE,
        LearnerState.Slot.ARTIFACT,
        LearnerState.Slot.TABLES,
        LearnerState.Slot.FORGETTING,
        LearnerState.Slot.ANCHORS),
    /**
     * The prediction log grew; written before each checkpoint while there is one, so that a later
     * run can continue an earlier log.
     */
    PREDICTED(LearnerState.Slot.PREDICTIONS),
    /** Control requests arrived or were carried out, or facts about the input changed. */
    REQUESTED(LearnerState.Slot.REQUESTS),
    /** A published version is kept to be compared with later versions. */
    COMPARED(LearnerState.Slot.COMPARISON, LearnerState.Slot.COMPARED_VERSIONS),
    /** The log of updates for forgetting begins, or is given up. */
    LOGGED(LearnerState.Slot.FORGETTING, LearnerState.Slot.ANCHORS),
    /**
     * The first model was accepted, so the network with which its training began is not needed any
     * more.
     */
    BEGUN(LearnerState.Slot.START),
    /** Rows of embedding tables were deleted. */
    ROWS_DELETED(LearnerState.Slot.TABLES),
    /** Predictions of new samples were scored. */
    SCORED(
        LearnerState.Slot.EVALUATION,
        LearnerState.Slot.WITHOUT_CONTEXT,
        LearnerState.Slot.COMPARISON,
        LearnerState.Slot.MIXTURE,
        LearnerState.Slot.DRIFT);

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
