package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one CSV row (RFC 4180: quotes, doubled quotes); a line end after it is ignored. A list of
 * ids is one field, with a bar between them.
 */
public final class CsvSampleDecoder implements SampleDecoder {
  private static final char BETWEEN_IDS = '|';

  private final SampleSchema schema;
  private final FieldValues values;
  private final CsvFields fields;
  private final int[] denseColumns;
  private final int[] categoricalColumns;
  private final int[] idColumns;
  private final IdDraft ids;
  private final int labelColumn;
  private final int idColumn;

  /**
   * Creates a decoder of rows whose columns a schema names.
   *
   * @param schema names the columns; features of width 1 only
   * @throws IllegalArgumentException if a field is none of the columns
   */
  public CsvSampleDecoder(SampleSchema schema, char delimiter) {
    this.schema = schema;
    values = new FieldValues(schema);
    fields = new CsvFields(delimiter, schema.columns().size());
    Map<String, Integer> columns = new HashMap<>();
    List<String> names = schema.columns();
    for (int i = 0; i < names.size(); i++) {
      columns.put(names.get(i), i);
    }
    denseColumns =
        schema.dense().stream().mapToInt(feature -> column(columns, feature.name())).toArray();
    categoricalColumns =
        schema.categorical().stream()
            .mapToInt(feature -> column(columns, feature.name()))
            .toArray();
    idColumns =
        schema.ids().stream().mapToInt(feature -> column(columns, feature.name())).toArray();
    ids = new IdDraft(schema.ids());
    labelColumn = columns.getOrDefault(schema.label().name(), -1);
    idColumn = optional(columns, schema.id());
  }

  private static int column(Map<String, Integer> columns, String name) {
    Integer column = columns.get(name);
    if (column == null) {
      throw new IllegalArgumentException("field " + name + " is none of the columns");
    }
    return column;
  }

  private static int optional(Map<String, Integer> columns, @Nullable String name) {
    return name == null ? -1 : column(columns, name);
  }

  @Override
  public Sample decode(byte[] event) throws MalformedSampleException {
    int found = fields.split(new String(event, StandardCharsets.UTF_8));
    int expected = schema.columns().size();
    if (found != expected) {
      throw new MalformedSampleException(
          "row", String.format(Locale.ROOT, "%d fields where %d are expected", found, expected));
    }
    float[] dense = new float[denseColumns.length];
    for (int i = 0; i < dense.length; i++) {
      dense[i] = FieldValues.dense(schema.dense().get(i), fields.get(denseColumns[i]));
    }
    int[] categorical = new int[categoricalColumns.length];
    for (int i = 0; i < categorical.length; i++) {
      categorical[i] =
          FieldValues.bucket(schema.categorical().get(i), fields.get(categoricalColumns[i]));
    }
    float label = labelColumn < 0 ? Sample.NO_LABEL : values.label(fields.get(labelColumn));
    String id = idColumn < 0 ? "" : values.id(fields.get(idColumn));
    return new Sample(id, dense, categorical, ids(), label);
  }

  private IdLists ids() throws MalformedSampleException {
    ids.clear();
    for (int i = 0; i < idColumns.length; i++) {
      String text = fields.get(idColumns[i]);
      if (schema.ids().get(i).mostIds() == 1) {
        ids.add(i, text);
      } else {
        int from = 0;
        while (from <= text.length()) {
          int bar = text.indexOf(BETWEEN_IDS, from);
          int to = bar < 0 ? text.length() : bar;
          ids.add(i, text.substring(from, to));
          from = to + 1;
        }
      }
    }
    return ids.lists();
  }

  /** Splits a row into fields; reused from row to row. */
  private static final class CsvFields {
    private final char delimiter;
    private final String[] fields;
    private int count;

    CsvFields(char delimiter, int expected) {
      this.delimiter = delimiter;
      fields = new String[Math.max(1, expected)];
    }

    String get(int field) {
      return fields[field];
    }

    /**
     * Splits a row into its fields and returns their number; fields beyond the expected number are
     * only counted.
     */
    int split(String row) throws MalformedSampleException {
      count = 0;
      int end = row.length();
      while (end > 0 && (row.charAt(end - 1) == '\r' || row.charAt(end - 1) == '\n')) {
        end--;
      }
      int at = 0;
      while (true) {
        at = at < end && row.charAt(at) == '"' ? quoted(row, at, end) : plain(row, at, end);
        if (at >= end) {
          return count;
        }
        at++;
        if (at == end) {
          add("");
          return count;
        }
      }
    }

    private int plain(String row, int from, int end) {
      int to = from;
      while (to < end && row.charAt(to) != delimiter) {
        to++;
      }
      add(row.substring(from, to));
      return to;
    }

    private int quoted(String row, int from, int end) throws MalformedSampleException {
      StringBuilder text = new StringBuilder();
      int at = from + 1;
      while (at < end) {
        char c = row.charAt(at++);
        if (c != '"') {
          text.append(c);
        } else if (at < end && row.charAt(at) == '"') {
          text.append('"');
          at++;
        } else if (at >= end || row.charAt(at) == delimiter) {
          add(text.toString());
          return at;
        } else {
          throw new MalformedSampleException(
              "field " + (count + 1), "text after the closing quote");
        }
      }
      throw new MalformedSampleException("field " + (count + 1), "the quote is not closed");
    }

    private void add(String field) {
      if (count < fields.length) {
        fields[count] = field;
      }
      count++;
    }
  }
}
