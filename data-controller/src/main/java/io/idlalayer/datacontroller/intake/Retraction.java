package io.idlalayer.datacontroller.intake;

/**
 * The outcome of taking a label back.
 *
 * @param sampleId the stored sample; 0 if there is none
 */
public record Retraction(Fate fate, long sampleId) {
  /** The state of the sample when its label was taken back. */
  public enum Fate {
    /** No stored sample has this event id and a label. */
    UNKNOWN,
    /** The sample waits for a label again; it waited for its training until now. */
    WITHDRAWN,
    /**
     * The sample waits for a label again; its first training runs. How that training ends decides
     * whether the sample was trained.
     */
    WITHDRAWN_IN_TRAINING,
    /** The sample waits for a label again; what the model learned from it stays learned. */
    WITHDRAWN_AFTER_TRAINING
  }
}
