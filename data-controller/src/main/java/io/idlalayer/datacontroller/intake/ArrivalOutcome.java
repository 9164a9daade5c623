package io.idlalayer.datacontroller.intake;

import io.idlalayer.middleware.sample.Sample;

/**
 * The result of an arrival: how it was handled, and which stored sample it concerns.
 *
 * @param sampleId id of the stored sample that the arrival became or to which it was joined; 0 if
 *     there is none
 * @param sample the sample after the arrival
 * @param changed whether the arrival has replaced a value or a label of the stored sample
 * @param correctsDefault whether the arrival has replaced the default label by another label
 */
public record ArrivalOutcome(
    Fate fate, long sampleId, Sample sample, boolean changed, boolean correctsDefault) {
  /** Creates an outcome that concerns no default label. */
  public ArrivalOutcome(Fate fate, long sampleId, Sample sample, boolean changed) {
    this(fate, sampleId, sample, changed, false);
  }

  /** The ways in which an arrival is handled. */
  public enum Fate {
    /** The sample is new: it is stored and waits for its first training. */
    NEWBORN,
    /** The event is stored already, and the arrival adds nothing to it. */
    DUPLICATE,
    /** The sample is new and has no label: it is stored and waits for the label. */
    UNLABELED,
    /** The arrival brought the label of a stored sample, which now waits for its first training. */
    LABEL_JOINED,
    /**
     * The arrival is a label of an event that has not come: it is stored and waits for the event.
     */
    LABEL_WAITS,
    /**
     * The arrival, which has no label, is the event for which a stored label waited. The sample now
     * waits for its first training.
     */
    EVENT_JOINED,
    /**
     * The arrival has features and a label, and replaces a stored label that waited for it. The
     * sample now waits for its first training.
     */
    LABEL_REPLACED,
    /**
     * The arrival has changed or completed the stored sample of its event, which continues to wait
     * for its label, its features or its first training.
     */
    MERGED,
    /**
     * The arrival has changed or completed the stored sample of its event after its first training
     * has begun. The sample waits for a training like a new sample.
     */
    CORRECTED,
    /**
     * Nothing arrived: no label came in time for a stored sample, so it has the default label and
     * waits for its first training.
     */
    DEFAULTED,
    /** The arrival lacks features that a sample needs, and no stored event has them. */
    INCOMPLETE
  }
}
