package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.evaluation.SampleEvaluator;
import io.idlalayer.datacontroller.evaluation.SampleExplanation;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.HashKey;
import java.util.Arrays;
import java.util.Optional;

/** A live view of the stored samples of a data controller. */
public final class StoredSamples {
  private final SampleIndex index;
  private final SampleEvaluator evaluator;
  private final HashKey hashKey;

  StoredSamples(SampleIndex index, SampleEvaluator evaluator, HashKey hashKey) {
    this.index = index;
    this.evaluator = evaluator;
    this.hashKey = hashKey;
  }

  /** Returns those of the given sample ids whose samples are stored. */
  public long[] among(long[] sampleIds) {
    return Arrays.stream(sampleIds).filter(index::holds).toArray();
  }

  /**
   * Returns the contents of those of the given samples that are stored, as the high halves of their
   * content hashes.
   */
  public long[] contents(long[] sampleIds) {
    return Arrays.stream(among(sampleIds))
        .map(id -> index.contentHashHigh(index.require(id)))
        .toArray();
  }

  /**
   * Returns whether a sample has features: it is no label that waits for them.
   *
   * @throws IllegalStateException if it is not stored
   */
  public boolean hasFeatures(long sampleId) {
    return !index.labelOnly(index.require(sampleId));
  }

  /**
   * Returns the time at which a sample became Newborn, in epoch milliseconds.
   *
   * @throws IllegalStateException if it is not stored
   */
  public long arrivedAtMillis(long sampleId) {
    return index.arrivedAtMillis(index.require(sampleId));
  }

  /** Explains why a sample has its stage; empty if no sample has this id. */
  public Optional<SampleExplanation> explain(long sampleId) {
    return explainSlot(index.slotOf(sampleId));
  }

  /**
   * Explains why the sample of an event has its stage, given the event's own id; empty if there is
   * no such sample.
   */
  public Optional<SampleExplanation> explain(String eventId) {
    return explainSlot(index.slotOfEvent(ContentHasher.idHash(eventId, hashKey)));
  }

  private Optional<SampleExplanation> explainSlot(int slot) {
    return slot == SampleIndex.ABSENT ? Optional.empty() : Optional.of(evaluator.explain(slot));
  }
}
