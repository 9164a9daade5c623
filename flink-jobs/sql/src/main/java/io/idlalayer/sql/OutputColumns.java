package io.idlalayer.sql;

import io.idlalayer.middleware.sample.SampleSchema;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * The columns in the {@code OUTPUT} clause of {@code CREATE MODEL}; the name of a column determines
 * which part of a prediction it gets.
 */
record OutputColumns(List<Output> columns) implements Serializable {
  OutputColumns {
    columns = List.copyOf(columns);
  }

  /** The columns that a prediction can fill. */
  enum Output {
    /** The class with the highest probability, as text. */
    CLASS("prediction", "STRING"),
    /** The target, in its own units. */
    TARGET("prediction", "DOUBLE"),
    /** The probability of the predicted class. */
    PROBABILITY("probability", "DOUBLE"),
    /** Probabilities of all classes, in the order of the application file. */
    PROBABILITIES("probabilities", "ARRAY<DOUBLE>"),
    /** Version of the model that predicted. */
    VERSION("version", "BIGINT"),
    /** The time when the version that predicted was published. */
    PUBLISHED("published_at", "TIMESTAMP_LTZ(3)");

    private final String column;
    private final String type;

    Output(String column, String type) {
      this.column = column;
      this.type = type;
    }

    private boolean fits(LogicalType given) {
      return switch (this) {
        case CLASS -> given.is(LogicalTypeFamily.CHARACTER_STRING);
        case TARGET, PROBABILITY -> given.is(LogicalTypeRoot.DOUBLE);
        case PROBABILITIES ->
            given instanceof ArrayType array && array.getElementType().is(LogicalTypeRoot.DOUBLE);
        case VERSION -> given.is(LogicalTypeRoot.BIGINT);
        case PUBLISHED -> given.is(LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);
      };
    }

    private boolean needsClasses() {
      return switch (this) {
        case CLASS, PROBABILITY, PROBABILITIES -> true;
        case TARGET, VERSION, PUBLISHED -> false;
      };
    }
  }

  /**
   * Returns the output columns of a {@code CREATE MODEL} statement.
   *
   * @throws ValidationException if a prediction has no value for a column; the message names all
   *     such columns
   */
  static OutputColumns of(ResolvedSchema schema) {
    List<Output> outputs = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Column column : schema.getColumns()) {
      LogicalType type = column.getDataType().getLogicalType();
      int before = outputs.size();
      for (Output output : Output.values()) {
        if (output.column.equals(column.getName()) && output.fits(type)) {
          outputs.add(output);
        }
      }
      if (outputs.size() == before) {
        problems.add("'%s' %s".formatted(column.getName(), type.asSummaryString()));
      }
    }
    if (!problems.isEmpty()) {
      List<String> known = new ArrayList<>();
      for (Output output : Output.values()) {
        known.add(output.column + " " + output.type);
      }
      throw new ValidationException(
          "OUTPUT has %s, and a prediction has %s"
              .formatted(String.join(", ", problems), String.join(", ", known)));
    }
    return new OutputColumns(outputs);
  }

  /**
   * Checks that the predictions of a model with this schema have values for these columns.
   *
   * @throws IllegalArgumentException if they do not
   */
  void check(SampleSchema schema) {
    boolean classes = schema.label().task() == SampleSchema.Task.CLASSIFICATION;
    for (Output output : columns) {
      if (output.needsClasses() && !classes) {
        throw new IllegalArgumentException(
            "the model predicts a number, so OUTPUT must have 'prediction' as DOUBLE, and neither"
                + " 'probability' nor 'probabilities'");
      }
      if (output == Output.TARGET && classes) {
        throw new IllegalArgumentException(
            "the model predicts classes, so OUTPUT must have 'prediction' as STRING");
      }
    }
  }

  /** The model version that made a prediction. */
  record Origin(SampleSchema.Label label, long version, long publishedAtMillis) {}

  /** Returns the output row for a model's answer. */
  RowData row(double[] answer, Origin origin) {
    int best = 0;
    for (int i = 1; i < answer.length; i++) {
      best = answer[i] > answer[best] ? i : best;
    }
    GenericRowData row = new GenericRowData(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      row.setField(i, value(columns.get(i), answer, best, origin));
    }
    return row;
  }

  private static Object value(Output output, double[] answer, int best, Origin origin) {
    return switch (output) {
      case CLASS -> StringData.fromString(origin.label().classes().get(best));
      case TARGET -> answer[0];
      case PROBABILITY -> answer[best];
      case PROBABILITIES -> {
        yield new GenericArrayData(answer);
      }
      case VERSION -> origin.version();
      case PUBLISHED -> TimestampData.fromEpochMillis(origin.publishedAtMillis());
    };
  }

  /**
   * Returns the output row for an input row that no model can predict: only the columns about the
   * version are filled.
   */
  RowData unknown(Origin origin) {
    GenericRowData row = new GenericRowData(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      Output output = columns.get(i);
      if (output == Output.VERSION || output == Output.PUBLISHED) {
        row.setField(i, value(output, new double[0], 0, origin));
      }
    }
    return row;
  }
}
