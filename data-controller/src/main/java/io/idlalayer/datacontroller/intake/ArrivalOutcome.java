package io.idlalayer.datacontroller.intake;

/**
 * The result of an arrival: how it was handled, and which stored sample it concerns.
 *
 * @param sampleId the stored sample it became or met
 */
public record ArrivalOutcome(Fate fate, long sampleId) {
  /** The ways in which an arrival is handled. */
  public enum Fate {
    /** The content is new: it is stored and waits for its first training. */
    NEWBORN,
    /** The content was in stage Discard: it is Newborn again. */
    REVIVED,
    /** The content is stored already: the arrival is counted. */
    DUPLICATE,
    /** The content is new and has no label: it is stored and waits for the label. */
    UNLABELED,
    /** The arrival brought the label of a stored sample, which now waits for its first training. */
    LABEL_JOINED
  }
}
