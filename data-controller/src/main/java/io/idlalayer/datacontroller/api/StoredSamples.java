package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.evaluation.SampleEvaluator;
import io.idlalayer.datacontroller.evaluation.SampleExplanation;
import io.idlalayer.datacontroller.store.LabelSource;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleLibrary;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A live view of the stored samples of a data controller. */
public final class StoredSamples {
  private final SampleIndex index;
  private final SampleLibrary library;
  private final SampleEvaluator evaluator;
  private final HashKey hashKey;

  StoredSamples(
      SampleIndex index, SampleLibrary library, SampleEvaluator evaluator, HashKey hashKey) {
    this.index = index;
    this.library = library;
    this.evaluator = evaluator;
    this.hashKey = hashKey;
  }

  /** Returns the given sample ids whose samples are stored. */
  public long[] among(long[] sampleIds) {
    return Arrays.stream(sampleIds).filter(index::holds).toArray();
  }

  /**
   * Returns the contents of the given samples as far as they are stored. A content is the high half
   * of a content hash.
   */
  public long[] contents(long[] sampleIds) {
    return Arrays.stream(among(sampleIds))
        .map(id -> index.contentHashHigh(index.require(id)))
        .toArray();
  }

  /**
   * Returns whether a sample has features. If not, it is a label that waits for the features of its
   * event.
   *
   * @throws IllegalStateException if the sample is not stored
   */
  public boolean hasFeatures(long sampleId) {
    return !index.labelOnly(index.require(sampleId));
  }

  /**
   * Returns the time at which a sample became Newborn, in epoch milliseconds.
   *
   * @throws IllegalStateException if the sample is not stored
   */
  public long arrivedAtMillis(long sampleId) {
    return index.arrivedAtMillis(index.require(sampleId));
  }

  /**
   * Returns the sample of an event, given the event's own id, if the sample was possibly trained; 0
   * if there is no stored sample, or if it never had features and a label.
   */
  public long ofEvent(String eventId) {
    int slot = index.slotOfEvent(ContentHasher.idHash(eventId, hashKey));
    if (slot == SampleIndex.ABSENT || index.labelOnly(slot)) {
      return 0;
    }
    boolean neverLabeled = !index.labeled(slot) && index.source(slot) != LabelSource.WITHDRAWN;
    return neverLabeled ? 0 : index.id(slot);
  }

  /**
   * Reads the samples of an earlier training that can be trained again unchanged: samples that are
   * stored, have a label, and have the same content as in that training.
   *
   * @param past the logged facts about the training
   * @return the rows in the order of the training; rows of samples that were evicted, withdrawn or
   *     corrected are missing
   * @throws IllegalStateException if a stored payload is damaged
   */
  public List<TrainingRow> asTrained(PastTraining past, TrainingSession.PayloadDecoder decoder) {
    int[] there =
        IntStream.range(0, past.ids().length).filter(i -> labeled(past.ids()[i])).toArray();
    List<byte[]> payloads =
        library.payloads(Arrays.stream(there).mapToLong(i -> past.ids()[i]).toArray());
    List<TrainingRow> rows = new ArrayList<>(there.length);
    for (int i = 0; i < there.length; i++) {
      long id = past.ids()[there[i]];
      TrainingRow row = row(id, payloads.get(i), decoder, past.fresh()[there[i]]);
      if (PastTraining.shortened(row.content()) == past.contents()[there[i]]) {
        rows.add(row);
      }
    }
    return rows;
  }

  private boolean labeled(long id) {
    int slot = index.slotOf(id);
    return slot != SampleIndex.ABSENT && index.labeled(slot) && !index.labelOnly(slot);
  }

  private TrainingRow row(
      long id, byte[] payload, TrainingSession.PayloadDecoder decoder, boolean fresh) {
    int slot = index.require(id);
    try {
      Sample sample = decoder.decode(payload);
      long content = sample.context().mixedInto(index.contentHashHigh(slot));
      return new TrainingRow(id, content, sample, index.loss(slot), fresh);
    } catch (MalformedSampleException damaged) {
      throw new IllegalStateException("stored sample " + id + " is damaged", damaged);
    }
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
