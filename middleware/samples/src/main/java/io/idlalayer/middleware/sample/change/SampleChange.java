package io.idlalayer.middleware.sample.change;

import io.idlalayer.middleware.sample.AbsentValues;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * Converts samples of one schema into samples of another. A dense value of an added feature counts
 * as missing: it is 0 or NaN, as the schema says. If the schema does not allow missing values, it
 * is NaN, which stands for the mean. An added categorical feature gets the bucket of missing
 * values, and an added id feature gets the missing id. A later event with the sample's id can still
 * bring values of added features. A label keeps its class. A sample whose class was removed cannot
 * be converted, see {@link #keeps}. Immutable.
 */
public final class SampleChange {
  private final SchemaChange change;
  private final ColumnMap context;
  private final double[] missing;
  private final double[] unknown;

  /** The dense values without which an event is refused. */
  private final BitSet refused;

  /**
   * @throws IllegalArgumentException if stored samples cannot be used with the schema
   */
  public SampleChange(SampleSchema before, SampleSchema now) {
    change = SchemaChange.between(before, now);
    if (!change.refusals().isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", change.refusals()));
    }
    context = context(change, now);
    missing = missing(now);
    refused = refused(now);
    unknown = new double[context.after()];
    SampleSchema.History history = now.history();
    int labels = history == null ? 0 : history.labels() * now.labelWidth();
    // Earlier labels of a key never had an added class.
    Arrays.fill(unknown, labels, unknown.length, Double.NaN);
  }

  /** Returns, for each value of a context after the change, its source before the change. */
  public static ColumnMap context(SchemaChange change, SampleSchema now) {
    SampleSchema.History history = now.history();
    if (history == null) {
      return ColumnMap.unchanged(0);
    }
    boolean classes = now.label().task() == SampleSchema.Task.CLASSIFICATION;
    ColumnMap label = classes ? change.classes() : ColumnMap.unchanged(now.labelWidth());
    ColumnMap labels = ColumnMap.unchanged(0);
    for (int i = 0; i < history.labels(); i++) {
      labels = labels.then(label);
    }
    return history.changes() ? labels.then(change.dense()) : labels;
  }

  /** Returns the dense values of a sample in which all values are missing. */
  private static double[] missing(SampleSchema schema) {
    double[] values = new double[schema.denseWidth()];
    int at = 0;
    for (DenseFeature feature : schema.dense()) {
      boolean zero = feature.reading().missing() == Missing.ZERO;
      int each = feature.values() / feature.width();
      Arrays.fill(values, at, at + feature.values(), zero ? 0 : Double.NaN);
      for (int i = each - 1; feature.reading().indicator() && i < feature.values(); i += each) {
        values[at + i] = 1;
      }
      at += feature.values();
    }
    return values;
  }

  private static BitSet refused(SampleSchema schema) {
    BitSet refused = new BitSet();
    int at = 0;
    for (DenseFeature feature : schema.dense()) {
      refused.set(at, at + feature.values(), feature.reading().missing() == Missing.REFUSE);
      at += feature.values();
    }
    return refused;
  }

  /** Returns the change of the schema. */
  public SchemaChange schema() {
    return change;
  }

  /** Returns whether a sample can be converted. It cannot be converted if its class was removed. */
  public boolean keeps(Sample sample) {
    return !sample.labeled() || !Double.isNaN(change.label(sample.label()));
  }

  /**
   * Returns a sample of the schema after the change. A label without features stays without
   * features.
   *
   * @param sample a sample of the schema before the change, for which {@link #keeps} returns true
   * @throws IllegalArgumentException if the sample has other features than this schema, or cannot
   *     be converted
   */
  public Sample of(Sample sample) {
    if (!keeps(sample)) {
      throw new IllegalArgumentException("its class is there no more");
    }
    double label = change.label(sample.label());
    if (!sample.hasFeatures()) {
      return Double.compare(label, sample.label()) == 0 ? sample : sample.withLabel(label);
    }
    Sample changed =
        new Sample(
            sample.id(),
            dense(sample),
            categorical(sample.categorical()),
            ids(sample.ids()),
            label,
            absent(sample),
            sample.weight());
    return changed.withContext(context(sample.context()));
  }

  private double[] dense(Sample sample) {
    double[] dense = change.dense().mapped(sample.dense(), missing);
    for (int i = 0; i < dense.length; i++) {
      int source = change.dense().source(i);
      boolean awaited = source != ColumnMap.ADDED && sample.absent().neededAt(source);
      boolean mean = Double.isNaN(dense[i]) && !Double.isNaN(missing[i]);
      if (mean || (awaited && !refused.get(i))) {
        dense[i] = missing[i];
      }
    }
    return dense;
  }

  private int[] categorical(int[] buckets) {
    ColumnMap map = change.categorical();
    if (buckets.length != map.before()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d categories where %d were before the change",
              buckets.length,
              map.before()));
    }
    int[] mapped = new int[map.after()];
    for (int i = 0; i < mapped.length; i++) {
      int source = map.source(i);
      mapped[i] = source == ColumnMap.ADDED ? 0 : buckets[source];
    }
    return mapped;
  }

  private IdLists ids(IdLists lists) {
    ColumnMap map = change.ids();
    if (lists.features() != map.before()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d id features where %d were before the change",
              lists.features(),
              map.before()));
    }
    if (map.isUnchanged()) {
      return lists;
    }
    LongStream.Builder keys = LongStream.builder();
    int[] ends = new int[map.after()];
    int end = 0;
    for (int i = 0; i < ends.length; i++) {
      int source = map.source(i);
      if (source == ColumnMap.ADDED) {
        keys.add(IdLists.MISSING);
        end++;
      } else {
        for (int at = lists.from(source); at < lists.to(source); at++) {
          keys.add(lists.key(at));
          end++;
        }
      }
      ends[i] = end;
    }
    return new IdLists(keys.build().toArray(), ends);
  }

  /**
   * Returns the values that later events with the sample's id can bring: the values that they could
   * bring before the change, and values of added features.
   */
  private AbsentValues absent(Sample sample) {
    if (sample.id().isEmpty()) {
      return AbsentValues.NONE;
    }
    ColumnMap places = change.dense().then(change.categorical()).then(change.ids());
    BitSet absent = new BitSet();
    BitSet needed = new BitSet();
    for (int i = 0; i < places.after(); i++) {
      int source = places.source(i);
      absent.set(i, source == ColumnMap.ADDED || sample.absent().at(source));
      boolean needs = i >= change.dense().after() || refused.get(i);
      needed.set(i, needs && source != ColumnMap.ADDED && sample.absent().neededAt(source));
    }
    return AbsentValues.of(absent, needed);
  }

  private KeyContext context(KeyContext before) {
    return before.known()
        ? new KeyContext(before.key(), before.order(), context.mapped(before.values(), unknown))
        : before;
  }
}
