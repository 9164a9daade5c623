package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.List;
import java.util.Locale;

/**
 * Decodes one row of the Criteo display-ads log: label, 13 integers, 26 hashed categories,
 * separated by tabs, any of them possibly empty. Integers become ln(1 + max(x, 0)) in 32 bits;
 * missing integers become 0. Categories become either buckets or ids.
 */
public final class CriteoTsvSampleDecoder implements SampleDecoder {
  /** Number of integer fields of a row. */
  public static final int INTEGERS = 13;

  /** Number of categorical fields of a row. */
  public static final int CATEGORIES = 26;

  private static final int INTEGER_DIGITS_MAX = 18;
  private static final int FIELDS = 1 + INTEGERS + CATEGORIES;

  private final List<SampleSchema.CategoricalFeature> categorical;
  private final List<SampleSchema.IdFeature> ids;
  private final FieldValues values;
  private final EventEncoding encoding;
  private final String[] fields = new String[FIELDS];

  /**
   * Creates a decoder for a schema with the fields of the log.
   *
   * @param schema schema with 13 dense features, and 26 features that are all categorical or all
   *     ids, in the order of the log
   */
  public CriteoTsvSampleDecoder(SampleSchema schema, EventEncoding encoding) {
    categorical = schema.categorical();
    ids = schema.ids();
    boolean ofOneKind = categorical.isEmpty() || ids.isEmpty();
    int categories = categorical.size() + ids.size();
    if (schema.denseWidth() != INTEGERS || !ofOneKind || categories != CATEGORIES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the Criteo log has %d integers and %d categories; the schema has %d, %d and %d ids",
              INTEGERS,
              CATEGORIES,
              schema.denseWidth(),
              categorical.size(),
              ids.size()));
    }
    values = new FieldValues(schema, NumberNotation.PLAIN);
    this.encoding = encoding;
  }

  @Override
  public Sample decode(byte[] event) throws MalformedSampleException {
    split(encoding.text(event));
    double label = values.label(fields[0]);
    double[] dense = new double[INTEGERS];
    for (int i = 0; i < INTEGERS; i++) {
      dense[i] = integer(i, fields[1 + i]);
    }
    int[] buckets = new int[categorical.size()];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = FieldValues.bucket(categorical.get(i), category(i));
    }
    long[] keys = new long[ids.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = FieldValues.key(ids.get(i), category(i));
    }
    IdLists lists = keys.length == 0 ? IdLists.NONE : IdLists.single(keys);
    return new Sample("", dense, buckets, lists, label);
  }

  private String category(int index) {
    return fields[1 + INTEGERS + index];
  }

  private void split(String row) throws MalformedSampleException {
    int end = row.length();
    while (end > 0 && (row.charAt(end - 1) == '\r' || row.charAt(end - 1) == '\n')) {
      end--;
    }
    int count = 0;
    int from = 0;
    while (from <= end) {
      int tab = row.indexOf('\t', from);
      int to = tab < 0 || tab > end ? end : tab;
      if (count < FIELDS) {
        fields[count] = row.substring(from, to);
      }
      count++;
      from = to + 1;
    }
    if (count != FIELDS) {
      throw new MalformedSampleException(
          "row", String.format(Locale.ROOT, "%d fields where %d are expected", count, FIELDS));
    }
  }

  private static float integer(int field, String text) throws MalformedSampleException {
    if (text.isEmpty()) {
      return 0;
    }
    if (!isInteger(text)) {
      throw new MalformedSampleException(
          "integer " + (field + 1), Shown.of(text) + " is not an integer");
    }
    return (float) Math.log1p((double) Math.max(0, Long.parseLong(text)));
  }

  /** Returns whether a text is an optional sign and 1 to 18 of the digits 0 to 9. */
  private static boolean isInteger(String text) {
    int first = text.charAt(0) == '-' || text.charAt(0) == '+' ? 1 : 0;
    int digits = text.length() - first;
    for (int i = first; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return digits >= 1 && digits <= INTEGER_DIGITS_MAX;
  }
}
