package io.idlalayer.datacontroller.intake;

import io.idlalayer.middleware.sample.Sample;

/**
 * A label that was given up, because the features of its event did not come in time.
 *
 * @param label the event's id and its label
 * @param record the record that brought the label last
 */
public record LostLabel(Sample label, EventRecord record, Cause cause) {
  /** The reasons for which labels are given up. */
  public enum Cause {
    /** The label waited for the longest allowed time. */
    WAITED,
    /** There were too many samples that wait for labels and labels that wait for events. */
    TOO_MANY,
    /** The store was full, and other samples needed its space. */
    FULL
  }
}
