package io.idlalayer.jobs.stream;

import java.util.List;
import java.util.Set;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Writes the fields of Flink's rows by their names. A row of the kind {@code DELETE} or {@code
 * UPDATE_BEFORE} takes back the label of the event that has its id.
 *
 * @param names names of the fields by their position, for rows without field names; empty if the
 *     type of the stream has no field names
 */
record RowFields(List<String> names) implements EventFields<Row> {
  RowFields {
    names = List.copyOf(names);
  }

  @Override
  public void write(Row row, EventWriter to) {
    @Nullable Set<String> own = row.getFieldNames(false);
    if (own != null) {
      for (String name : own) {
        to.field(name, row.getField(name));
      }
      return;
    }
    if (names.size() != row.getArity()) {
      to.refuse(
          "row",
          "a row has %d values without names, but the type of the stream names %d fields; give the stream a type with field names, such as Types.ROW_NAMED"
              .formatted(row.getArity(), names.size()));
      return;
    }
    for (int i = 0; i < names.size(); i++) {
      to.field(names.get(i), row.getField(i));
    }
  }

  @Override
  public boolean withdraws(Row row) {
    return row.getKind() == RowKind.DELETE || row.getKind() == RowKind.UPDATE_BEFORE;
  }
}
