package io.idlalayer.jobs.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * One event on the decision topic, as JSON, keyed by application. Delivery is at least once and in
 * order per application partition; after a restore numbers run again from the checkpoint, so a
 * reader keeps, for each update number, the latest event.
 *
 * @param atMillis epoch milliseconds of the operator's clock
 * @param status cumulative state; present on every type
 * @param update the update this is about; absent on STATUS, RESTORED and FINISHED
 * @param message a sentence for people, "" when the type says it all
 * @param arrivals when the new samples of the update arrived; on FIRED, absent elsewhere
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DecisionEvent(
    int formatVersion,
    Type type,
    String application,
    int partition,
    long atMillis,
    Status status,
    @Nullable UpdateView update,
    String message,
    @Nullable ArrivalTimes arrivals) {

  public static final int FORMAT_VERSION = 1;

  /** What happened. */
  public enum Type {
    /** Nothing but a second gone by. */
    STATUS,
    /** An update was started. */
    FIRED,
    /** A running training was given up for a larger one; its samples stay untrained. */
    ABORTED,
    /** A training failed or diverged; its samples stay untrained. */
    DROPPED,
    /** An update is published. */
    PUBLISHED,
    /** State came back from a checkpoint. */
    RESTORED,
    /** Every input partition has ended, everything is trained and published. */
    FINISHED
  }
}
