package io.idlalayer.datacontroller.intake;

/**
 * The result of taking back the label of a sample.
 *
 * @param sampleId the stored sample; 0 if there is none
 */
public record Retraction(Fate fate, long sampleId) {
  /** The states in which a sample can be when its label is taken back. */
  public enum Fate {
    /** There is no stored sample that has this event id and a label. */
    UNKNOWN,
    /** The sample, which waited for its training until now, waits for a label again. */
    WITHDRAWN,
    /**
     * The sample, whose first training runs, waits for a label again. The sample counts as trained
     * if this training succeeds.
     */
    WITHDRAWN_IN_TRAINING,
    /**
     * The sample waits for a label again; what the model has learned from it remains in the model.
     */
    WITHDRAWN_AFTER_TRAINING
  }
}
