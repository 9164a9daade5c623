package io.idlalayer.middleware.sample;

import java.util.Locale;
import java.util.Objects;

/**
 * One training example: features, ids, a weight and, if it has arrived, a label. After construction
 * the sample owns its arrays, which must not be changed. They are not copied, because samples are
 * created on the hot path. Samples can be shared between threads.
 */
public final class Sample {
  /** Label value of a sample whose label has not arrived. */
  public static final double NO_LABEL = Double.NaN;

  /** Weight of a sample whose event had no weight, although its schema has weights. */
  public static final double NO_WEIGHT = Double.NaN;

  private static final int[] NO_CATEGORIES = {};

  private final String id;
  private final double[] dense;
  private final int[] categorical;
  private final IdLists ids;
  private final double label;
  private final AbsentValues absent;
  private final double weight;
  private final KeyContext context;

  /** Creates a sample without id features. */
  public Sample(String id, double[] dense, int[] categorical, double label) {
    this(id, dense, categorical, IdLists.NONE, label);
  }

  /**
   * Creates a sample from features that are already decoded.
   *
   * @param id the event's own id, or "" when it has none
   * @param dense dense features in 64 bits, in schema order; NaN for a missing value
   * @param categorical bucket of each categorical feature, in schema order; can be empty
   * @param ids keys of each id feature, in schema order
   * @param label class index (0-based, classification) or target value (regression), or {@link
   *     #NO_LABEL}
   */
  public Sample(String id, double[] dense, int[] categorical, IdLists ids, double label) {
    this(id, dense, categorical, ids, label, AbsentValues.NONE);
  }

  /**
   * Creates a sample from the features of an event that did not have all of them.
   *
   * @param absent values of features that the event did not have; only for an event with an id
   */
  public Sample(
      String id,
      double[] dense,
      int[] categorical,
      IdLists ids,
      double label,
      AbsentValues absent) {
    this(id, dense, categorical, ids, label, absent, 1);
  }

  /**
   * Creates a sample with an importance weight.
   *
   * @param weight how much the sample counts in training and in metrics, at least 0; 1 if its
   *     schema has no weights; {@link #NO_WEIGHT} if the event had no weight
   */
  public Sample(
      String id,
      double[] dense,
      int[] categorical,
      IdLists ids,
      double label,
      AbsentValues absent,
      double weight) {
    this(id, dense, categorical, ids, label, absent, weight, KeyContext.NONE);
  }

  private Sample(
      String id,
      double[] dense,
      int[] categorical,
      IdLists ids,
      double label,
      AbsentValues absent,
      double weight,
      KeyContext context) {
    this.id = Objects.requireNonNull(id, "id");
    this.dense = Objects.requireNonNull(dense, "dense");
    this.categorical = Objects.requireNonNull(categorical, "categorical");
    this.ids = Objects.requireNonNull(ids, "ids");
    this.label = label;
    this.absent = Objects.requireNonNull(absent, "absent");
    this.weight = weight;
    this.context = Objects.requireNonNull(context, "context");
  }

  /** Returns a sample that has only dense features and no id. */
  public static Sample of(double[] dense, double label) {
    return new Sample("", dense, NO_CATEGORIES, label);
  }

  /** Returns a sample that is only the label of the event with a given id. */
  public static Sample labelOf(String id, double label) {
    return new Sample(id, new double[0], NO_CATEGORIES, label);
  }

  public String id() {
    return id;
  }

  public double[] dense() {
    return dense;
  }

  public int[] categorical() {
    return categorical;
  }

  /** Returns the keys of the id features, in the order of the schema. */
  public IdLists ids() {
    return ids;
  }

  /** Returns the class index or target value; NaN while the label is missing. */
  public double label() {
    return label;
  }

  public boolean labeled() {
    return !Double.isNaN(label);
  }

  /** Returns whether there are features, and not only the label of an event with an id. */
  public boolean hasFeatures() {
    return dense.length > 0 || categorical.length > 0 || ids.features() > 0;
  }

  /** Returns whether the sample is nothing but the label of an event with an id. */
  public boolean labelOnly() {
    return !id.isEmpty() && labeled() && !hasFeatures();
  }

  /**
   * Returns the values that the event did not have and that another event with its id can bring.
   */
  public AbsentValues absent() {
    return absent;
  }

  /**
   * Returns how much the sample counts: a sample of weight 2 counts like two samples, and a sample
   * of weight 0 does not count. {@link #NO_WEIGHT} if it is unknown; a sample that can be trained
   * always has a known weight.
   */
  public double weight() {
    return weight;
  }

  /**
   * Returns the key of the event, and the facts that were known about the key when the event
   * arrived.
   */
  public KeyContext context() {
    return context;
  }

  /** Returns whether the sample could be trained if its weight were known. */
  public boolean lacksWeight() {
    return Double.isNaN(weight) && labeled() && hasFeatures();
  }

  /** Returns this sample with a label that arrived after it. */
  public Sample withLabel(double newLabel) {
    return new Sample(id, dense, categorical, ids, newLabel, absent, weight, context);
  }

  /** Returns this sample with another weight. */
  public Sample withWeight(double newWeight) {
    return new Sample(id, dense, categorical, ids, label, absent, newWeight, context);
  }

  /** Returns this sample with another context. */
  public Sample withContext(KeyContext other) {
    return new Sample(id, dense, categorical, ids, label, absent, weight, other);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "Sample[id=%s, dense=%d values, categorical=%d values, %d ids, label=%s]",
        id,
        dense.length,
        categorical.length,
        ids.size(),
        label);
  }
}
