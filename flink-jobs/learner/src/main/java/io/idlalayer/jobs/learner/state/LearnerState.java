package io.idlalayer.jobs.learner.state;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import org.jspecify.annotations.Nullable;

/**
 * The durable state of one learner, written through. In the job it is Flink's keyed state, in tests
 * plain maps. Every call works on the learner of the current key. {@code LearnerCheckpoint} defines
 * the contents of the slots.
 */
public interface LearnerState {
  /** The small values. */
  enum Slot {
    /** {@link StoredIdentity}; present once a learner was opened. */
    IDENTITY,
    /** {@link EventCounters}; present in checkpoints after a learner's first event. */
    COUNTERS,
    /** {@code InputRequests}; absent while it is empty. */
    REQUESTS,
    /** {@code FiredUpdate} during a training. */
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
    /** The tables' state outside {@link #rows}; absent if the model has no tables. */
    TABLES,
    /** State of a drift detector; absent if there is none. */
    DRIFT
  }

  /** Returns the value, or null if it was never written or was cleared. */
  byte @Nullable [] get(Slot slot);

  /** Writes a value; null clears it. The caller may reuse the array afterwards. */
  void put(Slot slot, byte @Nullable [] value);

  SampleStore samples();

  /** Returns the rows of embedding tables. */
  RowStore rows();
}
