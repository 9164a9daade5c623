package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.middleware.sample.text.TextForm;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one CSV row, see {@link CsvRow}. A list of ids is one field, with a vertical bar between
 * the ids.
 */
public final class CsvSampleDecoder implements SampleDecoder {
  private static final char BETWEEN_IDS = '|';

  private final SampleSchema schema;
  private final TextForm form;
  private final EventEncoding encoding;
  private final FieldValues values;
  private final CsvRow fields;
  private final AbsentDraft absent;
  private final List<DenseField> dense;
  private final int denseWidth;
  private final int[] denseColumns;
  private final int[] categoricalColumns;
  private final int[] idColumns;
  private final IdDraft ids;
  private final int labelColumn;
  private final int idColumn;
  private final int weightColumn;
  private final int keyColumn;

  /** Creates a decoder of rows of whole events whose columns a schema names. */
  public CsvSampleDecoder(SampleSchema schema, TextForm form) {
    this(schema, form, EventParts.WHOLE);
  }

  /**
   * Creates a decoder of rows whose columns a schema names.
   *
   * @param schema schema with the names of the columns; it can have only features of width 1
   * @param form encoding, delimiter and numbers of the rows
   * @throws IllegalArgumentException if a field of the schema is not a column
   */
  public CsvSampleDecoder(SampleSchema schema, TextForm form, EventParts parts) {
    this.schema = schema;
    this.form = form;
    encoding = form.eventEncoding();
    values = new FieldValues(schema, form.notation());
    fields = new CsvRow(form.delimiter(), schema.columns().size());
    absent = new AbsentDraft(schema, parts);
    dense = DenseField.of(schema, form.notation(), absent);
    denseWidth = schema.denseWidth();
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
    SampleSchema.Weight weight = schema.weight();
    weightColumn = weight == null ? -1 : columns.getOrDefault(weight.name(), -1);
    SampleSchema.History history = schema.history();
    keyColumn = history == null ? -1 : optional(columns, history.key());
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
    String row = encoding.text(event);
    int found = fields.split(row);
    int expected = schema.columns().size();
    if (found != expected) {
      throw new MalformedSampleException("row", otherCount(row, found, expected));
    }
    absent.clear();
    double[] numbers = new double[denseWidth];
    for (int i = 0; i < denseColumns.length; i++) {
      dense.get(i).text(fields.get(denseColumns[i]), 0, numbers);
    }
    int[] categorical = new int[categoricalColumns.length];
    for (int i = 0; i < categorical.length; i++) {
      categorical[i] =
          FieldValues.bucket(schema.categorical().get(i), fields.get(categoricalColumns[i]));
    }
    double label = labelColumn < 0 ? Sample.NO_LABEL : values.label(fields.get(labelColumn));
    String id = idColumn < 0 ? "" : values.id(fields.get(idColumn));
    double weight = weightColumn < 0 ? absent.noWeight() : values.weight(fields.get(weightColumn));
    long key = keyColumn < 0 ? IdLists.MISSING : values.key(fields.get(keyColumn));
    return absent.sample(id, numbers, categorical, ids(), label, weight, key);
  }

  /** Returns why a row has the wrong number of fields, and names another delimiter if that fits. */
  private String otherCount(String row, int found, int expected) {
    String reason =
        String.format(
            Locale.ROOT,
            "%d field%s where %d are expected",
            found,
            found == 1 ? "" : "s",
            expected);
    String other = CsvRow.otherDelimiter(row, form.delimiter(), expected);
    return other == null
        ? reason
        : reason
            + String.format(
                Locale.ROOT,
                "; input.delimiter is %s, and with %s there are %d",
                Shown.of(form.delimiter()),
                Shown.of(other),
                expected);
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
}
