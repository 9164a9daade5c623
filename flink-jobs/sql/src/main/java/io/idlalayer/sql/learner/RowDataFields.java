package io.idlalayer.sql.learner;

import io.idlalayer.jobs.stream.EventFields;
import io.idlalayer.jobs.stream.EventWriter;
import java.io.Serializable;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Writes the columns of a table's rows by their names. A deleted row, or the old row of an update,
 * takes back the label of the event with its id.
 */
record RowDataFields(List<Named> columns) implements EventFields<RowData> {
  RowDataFields {
    columns = List.copyOf(columns);
  }

  /** A column, with the getter of its value in a row. */
  record Named(String name, LogicalType type, RowData.FieldGetter getter) implements Serializable {}

  /** Returns the writer for the rows of a table. */
  static RowDataFields of(RowType type) {
    List<Named> columns = new ArrayList<>();
    for (int i = 0; i < type.getFieldCount(); i++) {
      LogicalType each = type.getTypeAt(i);
      columns.add(new Named(type.getFieldNames().get(i), each, RowData.createFieldGetter(each, i)));
    }
    return new RowDataFields(columns);
  }

  @Override
  public void write(RowData row, EventWriter to) {
    for (Named column : columns) {
      to.field(column.name(), value(column.type(), column.getter().getFieldOrNull(row)));
    }
  }

  @Override
  public boolean withdraws(RowData row) {
    return row.getRowKind() == RowKind.DELETE || row.getRowKind() == RowKind.UPDATE_BEFORE;
  }

  /** Converts a value of Flink's tables to an object of the usual Java class. */
  private static @Nullable Object value(LogicalType type, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    return switch (type.getTypeRoot()) {
      // Flink pads these texts with spaces.
      case CHAR -> value.toString().stripTrailing();
      case VARCHAR -> value.toString();
      case DECIMAL -> ((DecimalData) value).toBigDecimal();
      case DATE -> LocalDate.ofEpochDay((Integer) value);
      case TIMESTAMP_WITHOUT_TIME_ZONE -> ((TimestampData) value).toLocalDateTime();
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> ((TimestampData) value).toInstant();
      case ARRAY -> elements(((ArrayType) type).getElementType(), (ArrayData) value);
      default -> value;
    };
  }

  private static Object elements(LogicalType type, ArrayData array) {
    double[] numbers = type.is(LogicalTypeRoot.DOUBLE) ? numbers(array) : null;
    if (numbers != null) {
      return numbers;
    }
    ArrayData.ElementGetter getter = ArrayData.createElementGetter(type);
    List<@Nullable Object> elements = new ArrayList<>(array.size());
    for (int i = 0; i < array.size(); i++) {
      elements.add(value(type, getter.getElementOrNull(array, i)));
    }
    return elements;
  }

  /** Returns the numbers of an array; null if an element is null. */
  private static double @Nullable [] numbers(ArrayData array) {
    double[] numbers = new double[array.size()];
    for (int i = 0; i < numbers.length; i++) {
      if (array.isNullAt(i)) {
        return null;
      }
      numbers[i] = array.getDouble(i);
    }
    return numbers;
  }
}
