package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.AbsentValues;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Collects which values an event does not have while it is decoded, and decides what kind of event
 * it is: a whole event, a part of an event, or only a label. The rules are equal for all formats.
 * The object is reused from event to event.
 */
final class AbsentDraft {
  private final boolean joined;
  private final int denseWidth;
  private final SampleSchema.@Nullable Weight weight;
  private final SampleSchema schema;
  private final BitSet places = new BitSet();
  private final BitSet needed = new BitSet();
  private @Nullable String firstNeeded;

  AbsentDraft(SampleSchema schema, EventParts parts) {
    joined = parts == EventParts.JOINED && schema.id() != null;
    this.schema = schema;
    denseWidth = schema.denseWidth();
    weight = schema.weight();
  }

  /** Forgets the previous event. */
  void clear() {
    if (!places.isEmpty()) {
      places.clear();
      needed.clear();
      firstNeeded = null;
    }
  }

  /** Returns whether an event is allowed to lack a value that a sample needs. */
  boolean mayLackNeeded() {
    return joined;
  }

  /** Records that dense values are absent that a sample does not need. */
  void add(int from, int to) {
    places.set(from, to);
  }

  /** Records that dense values are absent, without which a sample cannot be trained. */
  void addNeeded(int from, int to, String feature) {
    places.set(from, to);
    needed.set(from, to);
    if (firstNeeded == null) {
      firstNeeded = feature;
    }
  }

  /** Returns the weight of an event that does not name one. */
  double noWeight() {
    return weight == null ? 1 : Sample.NO_WEIGHT;
  }

  /**
   * Returns the sample of the event.
   *
   * @param said weight of the event; {@link #noWeight} if it has none
   * @param key key of the event; {@link IdLists#MISSING} if it has none
   * @throws MalformedSampleException if the event lacks a value and no other event can bring it
   */
  Sample sample(
      String id,
      double[] dense,
      int[] categorical,
      IdLists ids,
      double label,
      double said,
      long key)
      throws MalformedSampleException {
    Sample sample = sample(id, dense, categorical, ids, label, said);
    if (key != IdLists.MISSING && sample.hasFeatures()) {
      return sample.withContext(KeyContext.ofKey(key));
    }
    if (schema.lacksKey(sample) && (!joined || id.isEmpty())) {
      throw new MalformedSampleException(schema.firstNeeded(sample), "missing");
    }
    return sample;
  }

  private Sample sample(
      String id, double[] dense, int[] categorical, IdLists ids, double label, double said)
      throws MalformedSampleException {
    if (!joined || id.isEmpty()) {
      return whole(
          new Sample(
              id, dense, categorical, ids, label, AbsentValues.NONE, wholeWeight(said, label)));
    }
    for (int i = 0; i < categorical.length; i++) {
      if (categorical[i] == 0) {
        places.set(denseWidth + i);
      }
    }
    int from = denseWidth + categorical.length;
    for (int feature = 0; feature < ids.features(); feature++) {
      if (ids.key(ids.from(feature)) == IdLists.MISSING && one(ids, feature)) {
        places.set(from + feature);
      }
    }
    boolean none = places.cardinality() == from + ids.features();
    if (none && !Double.isNaN(label)) {
      return Sample.labelOf(id, label).withWeight(said);
    }
    AbsentValues absent = AbsentValues.of(places, needed);
    Sample sample = new Sample(id, dense, categorical, ids, label, absent, said);
    return none ? whole(sample) : sample;
  }

  /**
   * Returns the weight of an event that no other event completes. An event without a label is not
   * trained, so it needs no weight.
   */
  private double wholeWeight(double said, double label) throws MalformedSampleException {
    if (!Double.isNaN(said) || weight == null) {
      return said;
    }
    if (!Double.isNaN(label) && Double.isNaN(weight.otherwise())) {
      throw new MalformedSampleException(weight.name(), "missing");
    }
    return Double.isNaN(weight.otherwise()) ? 1 : weight.otherwise();
  }

  private static boolean one(IdLists ids, int feature) {
    return ids.to(feature) - ids.from(feature) == 1;
  }

  private Sample whole(Sample sample) throws MalformedSampleException {
    if (firstNeeded != null) {
      throw new MalformedSampleException(firstNeeded, "missing");
    }
    return sample;
  }
}
