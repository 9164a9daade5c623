package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * Decodes {@link SampleCodec} events and checks them against the schema. Events contain the keys of
 * ids, see {@link io.idlalayer.middleware.sample.RowIndex#keyOf(long)}; samples contain the keys of
 * rows.
 */
public final class BinarySampleDecoder implements SampleDecoder {
  private final SampleCodec codec = new SampleCodec();
  private final SampleSchema schema;
  private final int denseWidth;
  private final boolean anyFixed;
  private final boolean joined;
  private final BitSet mayBeMissing = new BitSet();

  /** Creates a decoder of whole events. */
  public BinarySampleDecoder(SampleSchema schema) {
    this(schema, EventParts.WHOLE);
  }

  public BinarySampleDecoder(SampleSchema schema, EventParts parts) {
    this.schema = schema;
    joined = parts == EventParts.JOINED;
    denseWidth = schema.denseWidth();
    int at = 0;
    for (SampleSchema.DenseFeature feature : schema.dense()) {
      boolean mean = feature.reading().missing() == SampleSchema.Missing.MEAN;
      mayBeMissing.set(at, at + feature.values(), mean);
      at += feature.values();
    }
    anyFixed = schema.ids().stream().anyMatch(feature -> feature.index().fixed());
  }

  @Override
  public Sample decode(byte[] event) throws MalformedSampleException {
    Sample sample = codec.decode(event);
    if (sample.absent().any()) {
      throw new MalformedSampleException(
          "flags", "absent values; a binary event has all its features, or none and a label");
    }
    if (sample.weight() != 1) {
      throw new MalformedSampleException("flags", "a weight, which no binary event may have");
    }
    if (sample.context().hasKey()) {
      throw new MalformedSampleException("byte 2", "a key, which no binary event may have");
    }
    if (joined && !sample.hasFeatures() && sample.labeled() && !sample.id().isEmpty()) {
      checkLabel(sample);
      return sample;
    }
    if (sample.dense().length != denseWidth) {
      throw new MalformedSampleException(
          "dense",
          String.format(
              Locale.ROOT, "%d values where %d are expected", sample.dense().length, denseWidth));
    }
    for (int i = 0; i < denseWidth; i++) {
      if (!(Double.isNaN(sample.dense()[i]) && mayBeMissing.get(i))) {
        FieldValues.finite("dense", sample.dense()[i]);
      }
    }
    List<SampleSchema.CategoricalFeature> features = schema.categorical();
    if (sample.categorical().length != features.size()) {
      throw new MalformedSampleException(
          "categorical",
          String.format(
              Locale.ROOT,
              "%d values where %d are expected",
              sample.categorical().length,
              features.size()));
    }
    for (int i = 0; i < features.size(); i++) {
      int bucket = sample.categorical()[i];
      if (bucket < 0 || bucket >= features.get(i).buckets()) {
        throw new MalformedSampleException(
            features.get(i).name(),
            String.format(Locale.ROOT, "bucket %d of %d", bucket, features.get(i).buckets()));
      }
    }
    checkIds(sample.ids());
    checkLabel(sample);
    return anyFixed
        ? new Sample(
            sample.id(), sample.dense(), sample.categorical(), rows(sample.ids()), sample.label())
        : sample;
  }

  /** Returns the lists with the key of each id replaced by the key of its row. */
  private IdLists rows(IdLists ids) {
    long[] keys = new long[ids.size()];
    int[] ends = new int[ids.features()];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = ids.to(i);
      for (int k = ids.from(i); k < ends[i]; k++) {
        keys[k] = schema.ids().get(i).index().keyOf(ids.key(k));
      }
    }
    return new IdLists(keys, ends);
  }

  private void checkIds(IdLists ids) throws MalformedSampleException {
    List<SampleSchema.IdFeature> features = schema.ids();
    if (ids.features() != features.size()) {
      throw new MalformedSampleException(
          "ids",
          String.format(
              Locale.ROOT, "%d features where %d are expected", ids.features(), features.size()));
    }
    for (int i = 0; i < features.size(); i++) {
      IdDraft.checkCount(features.get(i), ids.to(i) - ids.from(i));
      for (int k = ids.from(i); k < ids.to(i); k++) {
        if (ids.key(k) == IdLists.UNKNOWN) {
          throw new MalformedSampleException(
              features.get(i).name(),
              String.format(Locale.ROOT, "key %d, which no id has", IdLists.UNKNOWN));
        }
      }
    }
  }

  private void checkLabel(Sample sample) throws MalformedSampleException {
    SampleSchema.Label label = schema.label();
    double value = sample.label();
    if (sample.labeled()) {
      FieldValues.finite(label.name(), value);
      if (label.task() == SampleSchema.Task.REGRESSION) {
        FieldValues.target(label, value);
      }
    }
    boolean index = value >= 0 && value < label.classes().size() && value == (int) value;
    if (sample.labeled() && label.task() == SampleSchema.Task.CLASSIFICATION && !index) {
      throw new MalformedSampleException(
          label.name(), value + " is not a class index below " + label.classes().size());
    }
  }
}
