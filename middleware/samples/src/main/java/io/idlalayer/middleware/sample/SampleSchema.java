package io.idlalayer.middleware.sample;

import java.io.Serializable;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Describes the fields of an event: its features, ids, label and own id.
 *
 * @param columns column names of a CSV row in order; empty when a format names its own fields
 * @param dense dense features in model order
 * @param categorical categorical features in model order
 * @param ids features whose values are ids with a row in a table, in model order
 * @param label field of the label, and its values
 * @param id field of the event id, or null when events have none
 * @param weight field of the importance weight, or null when all events have equal weights
 * @param history which facts about earlier events of the same key are context of an event; null if
 *     there is no context
 */
public record SampleSchema(
    List<String> columns,
    List<DenseFeature> dense,
    List<CategoricalFeature> categorical,
    List<IdFeature> ids,
    Label label,
    @Nullable String id,
    @Nullable Weight weight,
    @Nullable History history)
    implements Serializable {

  public SampleSchema {
    columns = List.copyOf(columns);
    dense = List.copyOf(dense);
    categorical = List.copyOf(categorical);
    ids = List.copyOf(ids);
  }

  /** Creates a schema whose events have no context. */
  public SampleSchema(
      List<String> columns,
      List<DenseFeature> dense,
      List<CategoricalFeature> categorical,
      List<IdFeature> ids,
      Label label,
      @Nullable String id,
      @Nullable Weight weight) {
    this(columns, dense, categorical, ids, label, id, weight, null);
  }

  /** Creates a schema whose events all have equal weights. */
  public SampleSchema(
      List<String> columns,
      List<DenseFeature> dense,
      List<CategoricalFeature> categorical,
      List<IdFeature> ids,
      Label label,
      @Nullable String id) {
    this(columns, dense, categorical, ids, label, id, null);
  }

  /** Creates a schema without id features. */
  public SampleSchema(
      List<String> columns,
      List<DenseFeature> dense,
      List<CategoricalFeature> categorical,
      Label label,
      @Nullable String id) {
    this(columns, dense, categorical, List.of(), label, id);
  }

  /** Returns this schema with another secret key of the hashes of ids, and of keys of histories. */
  public SampleSchema with(HashKey key) {
    return new SampleSchema(
        columns,
        dense,
        categorical,
        ids.stream()
            .map(each -> new IdFeature(each.name(), each.mostIds(), each.index().with(key)))
            .toList(),
        label,
        id,
        weight,
        history == null ? null : history.with(key));
  }

  /** Returns this schema with another history. */
  public SampleSchema with(@Nullable History other) {
    return new SampleSchema(columns, dense, categorical, ids, label, id, weight, other);
  }

  /** Returns this schema with other id features. */
  public SampleSchema withIds(List<IdFeature> others) {
    return new SampleSchema(columns, dense, categorical, others, label, id, weight, history);
  }

  /** Returns this schema with another label. */
  public SampleSchema with(Label other) {
    return new SampleSchema(columns, dense, categorical, ids, other, id, weight, history);
  }

  /** Returns the names of the fields that an event can have, each once, with features first. */
  public List<String> fieldNames() {
    Set<String> names = new LinkedHashSet<>();
    dense.forEach(each -> names.add(each.name()));
    categorical.forEach(each -> names.add(each.name()));
    ids.forEach(each -> names.add(each.name()));
    names.add(label.name());
    if (id != null) {
      names.add(id);
    }
    if (weight != null) {
      names.add(weight.name());
    }
    if (history != null && history.key() != null) {
      names.add(history.key());
    }
    return List.copyOf(names);
  }

  /** Returns the number of dense values of one sample, over all dense features. */
  public int denseWidth() {
    return dense.stream().mapToInt(DenseFeature::values).sum();
  }

  /** Returns this schema for events to predict, which need neither weights nor keys. */
  public SampleSchema toPredict() {
    return new SampleSchema(columns, dense, categorical, ids, label, id);
  }

  /**
   * Returns the number of values of an event's context, 0 without a history. First come the last
   * labels, the latest first. A class is a one-hot, all 0 if the label is not known. A target is
   * the number, NaN if it is not known, followed by 1 if it is known and 0 if not. Then comes, for
   * each dense value, its change since the last event of the key, NaN if there was none.
   */
  public int contextWidth() {
    return history == null
        ? 0
        : history.labels() * labelWidth() + (history.changes() ? denseWidth() : 0);
  }

  /** Returns the number of values that a label has in a context. */
  public int labelWidth() {
    return label.task() == Task.REGRESSION ? 2 : label.classes().size();
  }

  /**
   * Returns the latest label in a context: the index of the class, or the target; NaN if no label
   * is known.
   */
  public double lastLabel(KeyContext context) {
    if (history == null || history.labels() == 0 || !context.known()) {
      return Double.NaN;
    }
    double[] values = context.values();
    if (label.task() == Task.REGRESSION) {
      return values[0];
    }
    for (int i = 0; i < labelWidth(); i++) {
      if (values[i] != 0) {
        return i;
      }
    }
    return Double.NaN;
  }

  /** Returns whether an event needs a weight, or must get one from another event with its id. */
  public boolean needsWeight() {
    return weight != null && Double.isNaN(weight.otherwise());
  }

  /** Returns whether a sample has features but lacks the key whose history it needs. */
  public boolean lacksKey(Sample sample) {
    return history != null
        && history.key() != null
        && sample.hasFeatures()
        && !sample.context().hasKey();
  }

  /**
   * Returns the name of the first field that a sample lacks and needs: the key, a dense feature, or
   * else the weight.
   *
   * @throws IllegalArgumentException if the sample lacks no needed field
   */
  public String firstNeeded(Sample sample) {
    AbsentValues absent = sample.absent();
    String key = history == null ? null : history.key();
    if (key != null && lacksKey(sample)) {
      return key;
    }
    if (weight != null && !absent.anyNeeded() && Double.isNaN(sample.weight())) {
      return weight.name();
    }
    int place = 0;
    for (DenseFeature feature : dense) {
      for (int end = place + feature.values(); place < end; place++) {
        if (absent.neededAt(place)) {
          return feature.name();
        }
      }
    }
    throw new IllegalArgumentException("no needed value is absent: " + absent);
  }

  /**
   * Returns the total number of elements (numbers and times) in the fields of all dense features.
   */
  public int fieldWidth() {
    return dense.stream().mapToInt(DenseFeature::width).sum();
  }

  /**
   * A dense feature: a field with one number, or with an array of {@code width} numbers (JSON and
   * binary only). The decoded value is multiplied by {@code scale}.
   *
   * @param reading how missing numbers are treated, and whether the field is a time stamp
   */
  public record DenseFeature(String name, int width, double scale, Reading reading)
      implements Serializable {
    public DenseFeature {
      // A model that was published without {@code reading} reads plain numbers.
      reading = reading == null ? Reading.PLAIN : reading;
    }

    /** Creates a feature of plain numbers. None of them is allowed to be missing. */
    public DenseFeature(String name, int width, double scale) {
      this(name, width, scale, Reading.PLAIN);
    }

    /** Returns a feature of one number that is not scaled. */
    public static DenseFeature of(String name) {
      return new DenseFeature(name, 1, 1);
    }

    /** Returns the number of dense values that this feature has in a sample. */
    public int values() {
      return width * reading.values();
    }
  }

  /** The values that can stand for a number that is missing in an event. */
  public enum Missing {
    /** The event is malformed. */
    REFUSE,
    /** The number 0. */
    ZERO,
    /** The mean of the numbers that the model was trained on. In a sample it is NaN. */
    MEAN
  }

  /**
   * How each element of a dense feature's field becomes dense values: a number becomes one value,
   * and a time becomes one or two values for each of its parts. With an indicator there is one more
   * value, which is 1 if the element is missing and 0 if it is not.
   *
   * @param missingValues texts and numbers that stand for a missing value, in addition to the empty
   *     text
   * @param time parts of a time stamp, in order; empty for a number
   */
  public record Reading(
      Missing missing, boolean indicator, List<String> missingValues, List<TimePart> time)
      implements Serializable {
    /** A number that is not allowed to be missing. */
    public static final Reading PLAIN = new Reading(Missing.REFUSE, false, List.of(), List.of());

    public Reading {
      missingValues = List.copyOf(missingValues);
      time = List.copyOf(time);
    }

    /** Returns the number of dense values of each element. */
    int values() {
      int parts = time.isEmpty() ? 1 : time.stream().mapToInt(TimePart::width).sum();
      return parts + (indicator ? 1 : 0);
    }
  }

  /**
   * A categorical feature, whose values are hashed into {@code buckets} buckets. Bucket 0 stands
   * for a missing value, so ids of present values are 1..buckets-1.
   */
  public record CategoricalFeature(String name, int buckets) implements Serializable {}

  /**
   * A feature whose values are ids of any kind, numbers or texts.
   *
   * @param mostIds largest number of ids of one event; 1 for a single id
   * @param index mapping of ids to rows, the same for all features of a table
   */
  public record IdFeature(String name, int mostIds, RowIndex index) implements Serializable {
    /** Creates an id feature with an open table, for which the number of ids need not be known. */
    public IdFeature(String name, int mostIds) {
      this(name, mostIds, RowIndex.OPEN);
    }
  }

  /**
   * The field of the importance weight: a number of at least 0 that says how much an event counts.
   *
   * @param name field name
   * @param otherwise weight of an event without a weight; NaN if such an event is malformed
   */
  public record Weight(String name, double otherwise) implements Serializable {}

  /**
   * The facts about each key's earlier events that are kept as context of its later ones.
   *
   * @param key name of the field with the key; null if all events have the same key
   * @param labels number of last labels
   * @param changes whether the dense values are compared with the values of the key's last event
   * @param keys largest number of keys with a history, at least 1; the key without an event for the
   *     longest time is removed first
   * @param secretOrNull secret key of the hashes of keys; null if there is none
   */
  public record History(
      @Nullable String key, int labels, boolean changes, int keys, @Nullable HashKey secretOrNull)
      implements Serializable {
    /** Largest number of last labels. */
    public static final int MOST_LABELS = 16;

    /** Creates a history whose keys anyone can hash. */
    public History(@Nullable String key, int labels, boolean changes, int keys) {
      this(key, labels, changes, keys, null);
    }

    /** Returns this history with another secret key of the hashes of keys. */
    History with(HashKey secret) {
      return new History(key, labels, changes, keys, secret.secret() ? secret : null);
    }

    /**
     * Returns the key of a history: a hash of the text of an event's key, or {@link
     * IdLists#MISSING} for an empty text.
     */
    public long hashOf(String text) {
      return IdKeys.of(text, secretOrNull == null ? HashKey.NONE : secretOrNull);
    }
  }

  /** Learning tasks. */
  public enum Task {
    CLASSIFICATION,
    REGRESSION
  }

  /**
   * The field of the label, with the learning task and its classes.
   *
   * @param name field name
   * @param classes class names in index order; empty for regression. A label that is no class is
   *     malformed. A label matches the class with the same text. If there is none, it matches the
   *     class that is the same number, so "1.0" is class "1" unless there is a class "1.0". True is
   *     1, and false is 0.
   * @param targets range of numbers for a target; without effect for classes
   */
  public record Label(String name, Task task, List<String> classes, Targets targets)
      implements Serializable {
    public Label {
      classes = List.copyOf(classes);
      // A model that was published without {@code targets} accepts all numbers.
      targets = targets == null ? Targets.ALL : targets;
    }

    /** Creates a label that can be any number if it is a target. */
    public Label(String name, Task task, List<String> classes) {
      this(name, task, classes, Targets.ALL);
    }
  }

  /** The ranges of numbers for a target. */
  public enum Targets {
    ALL,
    /** Numbers of at least 0; other numbers are malformed. */
    NOT_NEGATIVE
  }
}
