package io.idlalayer.jobs.learner.state;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import org.jspecify.annotations.Nullable;

/**
 * The durable state of one learner. Samples and rows are written to the state when they change. The
 * slots are written right before a checkpoint. In the job it is Flink's keyed state, in tests plain
 * maps. Every call works on the learner of the current key. {@code LearnerCheckpoint} defines the
 * contents of the slots.
 */
public interface LearnerState {
  /** The small values of the state, each stored under its own name. */
  enum Slot {
    /** The {@link StoredIdentity}; present once a learner was opened. */
    IDENTITY,
    /** The {@link EventCounters}; present in checkpoints after a learner's first event. */
    COUNTERS,
    /** The {@code EventSurvey}; present in checkpoints after a learner's first event. */
    SURVEY,
    /** The {@code InputRequests}; absent while they are empty. */
    REQUESTS,
    /** {@code FiredUpdate} during a training. */
    FIRED_UPDATE,
    /** The {@code AcceptedModel} without its files. */
    MODEL,
    /** Files of the accepted model. */
    ARTIFACT,
    /**
     * Files of the network with which the first training begins; absent after the first model was
     * accepted.
     */
    START,
    /** The {@code UnpublishedArrivals}; absent if everything is published. */
    PUBLISHING,
    /** The data controller's state that is small enough for one value. */
    DATA,
    /** The update controller's state that is small enough for one value. */
    UPDATE,
    /** Sums of the prequential evaluation, which scores each sample before it is trained. */
    EVALUATION,
    /** Weights of the experts that are averaged, and the prior; absent without references. */
    MIXTURE,
    /**
     * The {@code IncorporationLatency}: times from the arrival of samples to the publication of
     * their update.
     */
    INCORPORATION,
    /** State of the embedding tables outside {@link #rows}; absent if the model has no tables. */
    TABLES,
    /** The {@code KeyHistories}; absent if the application keeps none. */
    HISTORY,
    /** Sums of the prequential evaluation without contexts; absent without a history of keys. */
    WITHOUT_CONTEXT,
    /** Sums of the {@code VersionComparison}; absent until it begins. */
    COMPARISON,
    /** The older versions that the {@code VersionComparison} keeps; absent until it begins. */
    COMPARED_VERSIONS,
    /** State of a drift detector; absent if there is none. */
    DRIFT,
    /** Where the prediction log ends; absent if there never was a prediction log. */
    PREDICTIONS,
    /**
     * The learner's state of mixing; absent if models are not mixed, and before the first mixed
     * model.
     */
    MIXING,
    /**
     * The {@code Forgetting}: the log of trainings, the requests, and the forgotten events; absent
     * if the application never forgot samples.
     */
    FORGETTING,
    /**
     * The earlier models from which updates can be trained again; absent whenever {@link
     * #FORGETTING} is.
     */
    ANCHORS,
    /** The {@code StoredSplit} of the DRAM; absent without a budget, and before the first move. */
    FAST_MEMORY
  }

  /** Returns the value of a slot, or null if it was never written or was cleared. */
  byte @Nullable [] get(Slot slot);

  /**
   * Writes the value of a slot; null clears the slot. The caller can reuse the array afterwards.
   */
  void put(Slot slot, byte @Nullable [] value);

  SampleStore samples();

  /** Returns the store with the rows of embedding tables. */
  RowStore rows();
}
