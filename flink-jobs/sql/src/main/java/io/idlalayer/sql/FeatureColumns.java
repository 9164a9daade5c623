package io.idlalayer.sql;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.SampleDraft;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.jspecify.annotations.Nullable;

/**
 * The columns in the {@code INPUT} clause of {@code CREATE MODEL}; each has the values of the
 * model's feature with the same name.
 */
record FeatureColumns(List<Input> columns) implements Serializable {
  FeatureColumns {
    columns = List.copyOf(columns);
  }

  /**
   * One column of the {@code INPUT} clause.
   *
   * @param type SQL type of the column in the clause
   * @param given SQL type of the values that a query passes for the column
   */
  record Input(String name, LogicalType type, LogicalType given) implements Serializable {
    boolean list() {
      return type instanceof ArrayType;
    }

    private LogicalType element() {
      return element(type);
    }

    private static LogicalType element(LogicalType type) {
      return type instanceof ArrayType array ? array.getElementType() : type;
    }

    /**
     * Returns whether values of the given type can be used as values of the declared type by
     * Flink's implicit casts: between types of numbers, or between types of texts. Flink documents
     * these casts but does not carry them out.
     */
    private boolean takes() {
      if (given.is(LogicalTypeRoot.NULL)) {
        return true;
      }
      LogicalType each = element(given);
      return list() == given instanceof ArrayType
          && (text()
              ? each.is(LogicalTypeFamily.CHARACTER_STRING)
              : each.is(LogicalTypeFamily.NUMERIC)
                  && (!exact() || each.is(LogicalTypeFamily.INTEGER_NUMERIC)));
    }

    /** Returns the type of each value in a row; a column without a type has no values. */
    private LogicalType givenElement() {
      return element(given.is(LogicalTypeRoot.NULL) ? type : given);
    }

    /** Returns the getter of the column's value in a row of the query. */
    private RowData.FieldGetter getter(int column) {
      return given.is(LogicalTypeRoot.NULL)
          ? row -> null
          : RowData.createFieldGetter(given, column);
    }

    boolean number() {
      return element().is(LogicalTypeFamily.NUMERIC);
    }

    boolean text() {
      return element().is(LogicalTypeFamily.CHARACTER_STRING);
    }

    /**
     * Returns whether the texts of this column's values are the same as in events: 3 and not 3.0 or
     * 3.00.
     */
    boolean exact() {
      return text() || element().is(LogicalTypeFamily.INTEGER_NUMERIC);
    }

    /**
     * Returns a value as text, without the trailing spaces with which type {@code CHAR} pads it.
     */
    private String text(Object value) {
      String text = String.valueOf(value);
      return givenElement().is(LogicalTypeRoot.CHAR) ? text.stripTrailing() : text;
    }
  }

  /**
   * Returns the input columns of a {@code CREATE MODEL} statement.
   *
   * @throws ValidationException if a column has a type that no feature has
   */
  static FeatureColumns of(ResolvedSchema schema) {
    List<Input> inputs = new ArrayList<>();
    for (Column column : schema.getColumns()) {
      LogicalType type = column.getDataType().getLogicalType();
      Input input = new Input(column.getName(), type, type);
      if (!input.number() && !input.text()) {
        throw new ValidationException(
            "INPUT column '%s' is %s; a feature is a number, a text, or an array of these"
                .formatted(input.name(), input.type().asSummaryString()));
      }
      inputs.add(input);
    }
    return new FeatureColumns(inputs);
  }

  /**
   * Returns these columns for a query that passes values of the given types.
   *
   * @param types one type for each column, in the order of the columns
   * @throws ValidationException if a type cannot be cast to the type of its column; the message
   *     names all such types
   */
  FeatureColumns given(List<LogicalType> types) {
    if (types.size() != columns.size()) {
      throw new ValidationException(
          String.format(
              Locale.ROOT,
              "the query gives %d columns, but INPUT has %d",
              types.size(),
              columns.size()));
    }
    List<Input> inputs = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      Input declared = columns.get(i);
      Input input = new Input(declared.name(), declared.type(), types.get(i));
      inputs.add(input);
      if (!input.takes()) {
        problems.add(
            "column '%s' is %s in INPUT, but %s in the query"
                .formatted(
                    input.name(), input.type().asSummaryString(), input.given().asSummaryString()));
      }
    }
    if (!problems.isEmpty()) {
      throw new ValidationException(
          "%s; cast it in the query, or declare its type in INPUT"
              .formatted(String.join("; ", problems)));
    }
    return new FeatureColumns(inputs);
  }

  /** Sets a feature of a sample to the value of a column. */
  @FunctionalInterface
  private interface Filler {
    void fill(SampleDraft draft, Object value) throws MalformedSampleException;
  }

  /**
   * @param optional whether the feature is allowed to be missing
   */
  private record Use(RowData.FieldGetter getter, Filler filler, boolean optional) {}

  /** Converts rows of a query to samples of a model. Confined to one thread. */
  static final class Reader {
    private final SampleDraft draft;
    private final List<Use> uses;

    private Reader(SampleDraft draft, List<Use> uses) {
      this.draft = draft;
      this.uses = uses;
    }

    /**
     * Converts a row of the query to a sample of the model.
     *
     * @return the sample; null if a value is missing, is not finite, or is an array of another
     *     length
     */
    @Nullable Sample read(RowData row) {
      draft.clear();
      try {
        for (Use use : uses) {
          Object value = use.getter().getFieldOrNull(row);
          if (value == null && use.optional()) {
            continue;
          }
          if (value == null) {
            return null;
          }
          use.filler().fill(draft, value);
        }
        return draft.sample();
      } catch (MalformedSampleException refused) {
        return null;
      }
    }
  }

  /**
   * Returns a reader that converts rows with these columns to samples of a model.
   *
   * @throws IllegalArgumentException if columns and features are not the same; the message names
   *     all differences
   */
  Reader reader(SampleSchema schema) {
    List<String> problems = new ArrayList<>();
    List<Use> uses = new ArrayList<>();
    boolean[] used = new boolean[columns.size()];
    for (int i = 0; i < schema.dense().size(); i++) {
      SampleSchema.DenseFeature feature = schema.dense().get(i);
      boolean optional = feature.reading().missing() != SampleSchema.Missing.REFUSE;
      use(feature.name(), dense(i, feature), optional, used, uses, problems);
    }
    for (int i = 0; i < schema.categorical().size(); i++) {
      use(schema.categorical().get(i).name(), category(i), false, used, uses, problems);
    }
    for (int i = 0; i < schema.ids().size(); i++) {
      use(schema.ids().get(i).name(), ids(i), false, used, uses, problems);
    }
    for (int i = 0; i < used.length; i++) {
      if (!used[i]) {
        problems.add(
            "INPUT column '%s' is not a feature of the model".formatted(columns.get(i).name()));
      }
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(
          "the model and its INPUT differ: " + String.join("; ", problems));
    }
    return new Reader(new SampleDraft(schema), uses);
  }

  /**
   * Finds the {@link Filler} that sets one feature of a sample from a column; null if the column's
   * type does not suit the feature.
   */
  @FunctionalInterface
  private interface Kind {
    @Nullable Filler of(Input input);
  }

  private void use(
      String feature,
      Kind kind,
      boolean optional,
      boolean[] used,
      List<Use> uses,
      List<String> problems) {
    for (int i = 0; i < columns.size(); i++) {
      Input input = columns.get(i);
      if (input.name().equals(feature)) {
        Filler filler = kind.of(input);
        if (filler == null) {
          problems.add(
              "INPUT column '%s' is %s, but the model's feature of this name has another type"
                  .formatted(feature, input.type().asSummaryString()));
        } else {
          uses.add(new Use(input.getter(i), filler, optional));
        }
        used[i] = true;
        return;
      }
    }
    problems.add("feature '%s' is not an INPUT column".formatted(feature));
  }

  private static Kind dense(int index, SampleSchema.DenseFeature feature) {
    return input -> {
      boolean time = input.text() && !feature.reading().time().isEmpty() && !input.list();
      if (time) {
        return (draft, value) -> draft.dense(index, 0, input.text(value));
      }
      if (!input.number() || input.list() != feature.width() > 1) {
        return null;
      }
      if (!input.list()) {
        return (draft, value) -> draft.dense(index, 0, number(value));
      }
      ArrayData.ElementGetter getter = ArrayData.createElementGetter(input.givenElement());
      boolean needed = feature.reading().missing() == SampleSchema.Missing.REFUSE;
      return (draft, value) -> {
        ArrayData array = (ArrayData) value;
        if (array.size() != feature.width()) {
          throw new MalformedSampleException(
              feature.name(),
              String.format(Locale.ROOT, "%d numbers, not %d", feature.width(), array.size()));
        }
        for (int i = 0; i < array.size(); i++) {
          Object element = getter.getElementOrNull(array, i);
          if (element == null && needed) {
            throw new MalformedSampleException(feature.name(), "a number is missing");
          }
          draft.dense(index, i, element == null ? Double.NaN : number(element));
        }
      };
    };
  }

  private static Kind category(int index) {
    return input ->
        input.list() || !input.exact()
            ? null
            : (draft, value) -> draft.category(index, input.text(value));
  }

  private static Kind ids(int index) {
    return input -> {
      if (!input.exact()) {
        return null;
      }
      if (!input.list()) {
        return (draft, value) -> draft.id(index, input.text(value));
      }
      ArrayData.ElementGetter getter = ArrayData.createElementGetter(input.givenElement());
      return (draft, value) -> {
        ArrayData array = (ArrayData) value;
        for (int i = 0; i < array.size(); i++) {
          Object element = getter.getElementOrNull(array, i);
          if (element != null) {
            draft.id(index, input.text(element));
          }
        }
      };
    };
  }

  private static double number(Object value) {
    return value instanceof DecimalData decimal
        ? decimal.toBigDecimal().doubleValue()
        : ((Number) value).doubleValue();
  }
}
