package io.idlalayer.jobs.learner.state;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import org.jspecify.annotations.Nullable;

/**
 * Durable state of one learner, written through. Implemented by Flink keyed state in the job and by
 * plain maps in tests; every call works on the learner of the current key. {@code
 * LearnerCheckpoint} says what is in the slots.
 */
public interface LearnerState {
  /** The small values. */
  enum Slot {
    /** {@link StoredIdentity}; present once a learner was opened. */
    IDENTITY,
    /** {@link EventCounters}; present in the checkpoints behind a learner's first event. */
    COUNTERS,
    /** {@code InputRequests}; absent until there is something in them. */
    REQUESTS,
    /** {@code FiredUpdate} while one trains. */
    FIRED_UPDATE,
    /** The {@code AcceptedModel} without its files. */
    MODEL,
    /** Files of the accepted model. */
    ARTIFACT,
    /** {@code UnpublishedArrivals}; absent if everything is published. */
    PUBLISHING,
    /** Small state of the data controller. */
    DATA,
    /** Small state of the update controller. */
    UPDATE,
    /** Prequential sums. */
    EVALUATION,
    /** {@code IncorporationLatency}. */
    INCORPORATION,
    /** What is not in {@link #rows} of the tables; absent if the model has none. */
    TABLES,
    /** What a drift detector has seen; absent if there is none. */
    DRIFT
  }

  /** The value, or null if it was never written or was cleared. */
  byte @Nullable [] get(Slot slot);

  /** Writes a value; null clears it. The array may be reused by the caller afterwards. */
  void put(Slot slot, byte @Nullable [] value);

  SampleStore samples();

  /** Rows of embedding tables. */
  RowStore rows();
}
