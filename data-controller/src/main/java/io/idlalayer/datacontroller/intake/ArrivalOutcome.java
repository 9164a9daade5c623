package io.idlalayer.datacontroller.intake;

/**
 * The outcome of an arrival.
 *
 * @param sampleId the stored sample it became or met
 */
public record ArrivalOutcome(Fate fate, long sampleId) {
  /** The classification of the arrival. */
  public enum Fate {
    /** New content: stored, waits for its first training. */
    NEWBORN,
    /** Content that was Discard: Newborn again. */
    REVIVED,
    /** Content that is stored already: counted. */
    DUPLICATE,
    /** New content without label: stored, waits for the label. */
    UNLABELED,
    /** Brought the label of a stored sample, which now waits for its first training. */
    LABEL_JOINED
  }
}
