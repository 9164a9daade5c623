package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.SampleStore;
import org.jspecify.annotations.Nullable;

/**
 * Durable state of one learner, written through. Implemented by Flink keyed state in the job and by
 * plain maps in tests; every call works on the learner of the current key.
 */
interface LearnerState {
  /** The small values. */
  enum Slot {
    /** {@link StoredIdentity}; present once a learner was opened. */
    IDENTITY,
    /** {@link Ledger}; present once a learner has seen its first event. */
    LEDGER,
    /** {@link PendingUpdate} while one trains. */
    PENDING,
    /** Head of the {@link AcceptedModel}. */
    MODEL,
    /** Files of the accepted model. */
    ARTIFACT,
    /** Arrival times of the new samples of models that are not published yet. */
    PUBLISHING,
    /** Small state of the data controller. */
    DATA,
    /** Small state of the update controller. */
    UPDATE,
    /** Prequential sums. */
    EVALUATION,
    /** Histogram of incorporation times. */
    INCORPORATION,
    /** What a drift detector has seen; absent if there is none. */
    QUALITY,
    /** {@link InputRequests}; absent until there is something in them. */
    REQUESTS
  }

  /** The value, or null if it was never written or was cleared. */
  byte @Nullable [] get(Slot slot);

  /** Writes a value; null clears it. The array may be reused by the caller afterwards. */
  void put(Slot slot, byte @Nullable [] value);

  SampleStore samples();
}
