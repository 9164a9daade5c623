package io.idlalayer.middleware.sample;

import java.io.Serializable;
import java.util.List;
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
 */
public record SampleSchema(
    List<String> columns,
    List<DenseFeature> dense,
    List<CategoricalFeature> categorical,
    List<IdFeature> ids,
    Label label,
    @Nullable String id)
    implements Serializable {

  public SampleSchema {
    columns = List.copyOf(columns);
    dense = List.copyOf(dense);
    categorical = List.copyOf(categorical);
    ids = List.copyOf(ids);
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

  /** Returns this schema with another secret key of the hashes of ids. */
  public SampleSchema with(HashKey key) {
    return new SampleSchema(
        columns,
        dense,
        categorical,
        ids.stream()
            .map(each -> new IdFeature(each.name(), each.mostIds(), each.index().with(key)))
            .toList(),
        label,
        id);
  }

  /** Returns the number of dense values of one sample, over all dense features. */
  public int denseWidth() {
    return dense.stream().mapToInt(DenseFeature::width).sum();
  }

  /**
   * A dense feature: one number, or an array of {@code width} numbers (JSON and binary only). The
   * decoded value is multiplied by {@code scale}.
   */
  public record DenseFeature(String name, int width, float scale) implements Serializable {
    /** Returns a feature of one number that is not scaled. */
    public static DenseFeature of(String name) {
      return new DenseFeature(name, 1, 1f);
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
   * @param mostIds that one event may have; 1 for a single id
   * @param index which row each id has, the same for all features of a table
   */
  public record IdFeature(String name, int mostIds, RowIndex index) implements Serializable {
    /** Creates an id feature with an open table, for which the number of ids need not be known. */
    public IdFeature(String name, int mostIds) {
      this(name, mostIds, RowIndex.OPEN);
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
   * @param classes class names in index order; empty for regression. A label that is none of them
   *     is malformed. Numbers match by value, so "1" and "1.0" are the same class.
   */
  public record Label(String name, Task task, List<String> classes) implements Serializable {
    public Label {
      classes = List.copyOf(classes);
    }
  }
}
