package io.idlalayer.jobs.survey;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fields that have the same value in all samples with features, or no value in any. Each
 * sample is compared with the first sample, but only in fields that have not differed yet. Usually
 * there are no such fields after a few samples. Confined to one thread.
 */
final class FieldSurvey {
  private static final byte[] NOTHING = {};

  private final SampleSchema schema;
  private final int[] denseFrom;
  private final int categoricalFrom;
  private final int idsFrom;
  private final int label;
  private final int id;
  private final int weight;

  /** The numbers of all fields, including id and weight if events have them. */
  private final int[] fields;

  private @Nullable Sample first;

  /** The fields that have not differed yet, by their numbers; the order has no meaning. */
  private int[] equal;

  private int equals;

  FieldSurvey(SampleSchema schema) {
    this.schema = schema;
    List<DenseFeature> dense = schema.dense();
    denseFrom = new int[dense.size() + 1];
    for (int i = 0; i < dense.size(); i++) {
      denseFrom[i + 1] = denseFrom[i] + dense.get(i).values();
    }
    categoricalFrom = dense.size();
    idsFrom = categoricalFrom + schema.categorical().size();
    label = idsFrom + schema.ids().size();
    id = label + 1;
    weight = id + 1;
    IntStream.Builder declared = IntStream.builder();
    IntStream.rangeClosed(0, label).forEach(declared);
    if (schema.id() != null) {
      declared.add(id);
    }
    // An event without a weight is refused if there is no default weight.
    if (schema.weight() != null && !schema.needsWeight()) {
      declared.add(weight);
    }
    fields = declared.build().toArray();
    equal = new int[fields.length];
    begin();
  }

  /** Forgets all samples. */
  void begin() {
    first = null;
    equals = equal.length;
    System.arraycopy(fields, 0, equal, 0, equals);
  }

  void add(Sample sample) {
    if (!hasFields(sample)) {
      // A label that comes without features says nothing about the fields of its event.
      return;
    }
    Sample one = first;
    if (one == null) {
      first = sample;
      return;
    }
    for (int i = 0; i < equals; i++) {
      if (!equal(equal[i], one, sample)) {
        equals--;
        equal[i] = equal[equals];
        i--;
      }
    }
  }

  /** Returns whether a sample has all declared features. */
  private boolean hasFields(Sample sample) {
    return sample.dense().length == denseFrom[denseFrom.length - 1]
        && sample.categorical().length == idsFrom - categoricalFrom
        && sample.ids().features() == label - idsFrom;
  }

  private boolean equal(int field, Sample one, Sample other) {
    if (field < categoricalFrom) {
      int from = denseFrom[field];
      int to = denseFrom[field + 1];
      return one.absent().at(from) == other.absent().at(from)
          && Arrays.equals(one.dense(), from, to, other.dense(), from, to);
    }
    if (field < idsFrom) {
      int index = field - categoricalFrom;
      return one.categorical()[index] == other.categorical()[index];
    }
    if (field < label) {
      return equalIds(field - idsFrom, one.ids(), other.ids());
    }
    if (field == weight) {
      return hasUsualWeight(schema, one) && hasUsualWeight(schema, other);
    }
    return field == label
        ? Double.doubleToLongBits(one.label()) == Double.doubleToLongBits(other.label())
        : one.id().equals(other.id());
  }

  /** Returns whether a sample has the default weight, which events without a weight get. */
  static boolean hasUsualWeight(SampleSchema schema, Sample sample) {
    SampleSchema.Weight declared = schema.weight();
    return declared != null
        && (Double.isNaN(sample.weight()) || sample.weight() == declared.otherwise());
  }

  private static boolean equalIds(int feature, IdLists one, IdLists other) {
    int count = one.to(feature) - one.from(feature);
    if (count != other.to(feature) - other.from(feature)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (one.key(one.from(feature) + i) != other.key(other.from(feature) + i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the fields, except the label, of which no sample with features had a value. A weight
   * that is always the default weight counts as a missing value.
   */
  Surveyed.NameList missing() {
    Sample one = first;
    if (one == null) {
      return Surveyed.NameList.NONE;
    }
    List<String> names = new ArrayList<>();
    long count = 0;
    for (int field : sorted()) {
      if (field != label && isMissing(field, one)) {
        count++;
        if (names.size() < Surveyed.MOST) {
          names.add(name(field));
        }
      }
    }
    return new Surveyed.NameList(names, count);
  }

  /** Returns the features, and the id, that had one value in all samples with features. */
  Surveyed.ConstantFields constant() {
    Sample one = first;
    if (one == null) {
      return new Surveyed.ConstantFields(List.of(), 0);
    }
    List<Surveyed.ConstantField> constants = new ArrayList<>();
    long count = 0;
    for (int field : sorted()) {
      if (!isMissing(field, one) && field != label && field != weight) {
        count++;
        if (constants.size() < Surveyed.MOST) {
          constants.add(new Surveyed.ConstantField(name(field), value(field, one)));
        }
      }
    }
    return new Surveyed.ConstantFields(constants, count);
  }

  private int[] sorted() {
    int[] fields = Arrays.copyOf(equal, equals);
    Arrays.sort(fields);
    return fields;
  }

  private boolean isMissing(int field, Sample one) {
    if (field < categoricalFrom) {
      int from = denseFrom[field];
      return Double.isNaN(one.dense()[from]) || one.absent().at(from);
    }
    if (field < idsFrom) {
      return one.categorical()[field - categoricalFrom] == 0;
    }
    if (field < label) {
      int feature = field - idsFrom;
      int from = one.ids().from(feature);
      return from == one.ids().to(feature) || one.ids().key(from) == IdLists.MISSING;
    }
    if (field == weight) {
      return hasUsualWeight(schema, one);
    }
    return field == label ? !one.labeled() : one.id().isEmpty();
  }

  private String name(int field) {
    if (field < categoricalFrom) {
      return schema.dense().get(field).name();
    }
    if (field < idsFrom) {
      return schema.categorical().get(field - categoricalFrom).name();
    }
    if (field < label) {
      return schema.ids().get(field - idsFrom).name();
    }
    SampleSchema.Weight declared = schema.weight();
    if (field == weight && declared != null) {
      return declared.name();
    }
    return field == label ? schema.label().name() : String.valueOf(schema.id());
  }

  private String value(int field, Sample one) {
    int hash;
    if (field < categoricalFrom) {
      return shown(Arrays.copyOfRange(one.dense(), denseFrom[field], denseFrom[field + 1]));
    }
    if (field < idsFrom) {
      hash = one.categorical()[field - categoricalFrom];
    } else if (field < label) {
      int from = one.ids().from(field - idsFrom);
      int to = one.ids().to(field - idsFrom);
      hash = 1;
      for (int i = from; i < to; i++) {
        hash = 31 * hash + Long.hashCode(one.ids().key(i));
      }
    } else {
      hash = one.id().hashCode();
    }
    return shown(hash);
  }

  private static String shown(double[] values) {
    return shown(Arrays.hashCode(values));
  }

  private static String shown(int hash) {
    return String.format(Locale.ROOT, "%08x", hash);
  }

  /** Returns the {@link #value} of a missing feature that is replaced by zeros. */
  static String ofMissing(DenseFeature feature) {
    double[] values = new double[feature.values()];
    int each = feature.values() / feature.width();
    for (int i = each - 1; feature.reading().indicator() && i < values.length; i += each) {
      values[i] = 1;
    }
    return shown(values);
  }

  /** Returns the encoding of the first sample; empty if there is none. */
  byte[] firstSample() {
    Sample one = first;
    return one == null ? NOTHING : new SampleCodec().encode(one);
  }

  int[] equalFields() {
    return sorted();
  }

  void restore(byte[] sample, int[] equalFields) throws MalformedSampleException {
    begin();
    if (sample.length > 0) {
      Sample one = new SampleCodec().decode(sample);
      boolean fits =
          one.dense().length == schema.denseWidth()
              && one.categorical().length == schema.categorical().size()
              && one.ids().features() == schema.ids().size()
              && equalFields.length <= equal.length;
      if (!fits) {
        throw new MalformedSampleException("sample", "other features than those of the settings");
      }
      first = one;
      equals = equalFields.length;
      System.arraycopy(equalFields, 0, equal, 0, equals);
    }
  }
}
