package io.idlalayer.middleware.sample.text;

import io.idlalayer.middleware.sample.MalformedSampleException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits rows of CSV into fields (RFC 4180: a field can be in quotes; inside of quotes, a doubled
 * quote stands for one quote, and delimiters and line breaks are text). The object is reused from
 * row to row. A line break after the row is ignored. Confined to one thread.
 */
public final class CsvRow {
  private static final List<String> USUAL = List.of(",", ";", "\t", "|", "::", " ");

  private final String delimiter;
  private final char first;
  private final String[] fields;
  private int count;

  /**
   * Creates a splitter.
   *
   * @param delimiter text between two fields; not empty, without quotes and line ends
   * @param expected number of fields that are kept of each row
   */
  public CsvRow(String delimiter, int expected) {
    this.delimiter = delimiter;
    first = delimiter.charAt(0);
    fields = new String[Math.max(1, expected)];
  }

  /** Returns whether a text can be a delimiter: it is not empty and has no quotes or line ends. */
  public static boolean delimits(String text) {
    return !text.isEmpty()
        && text.chars().noneMatch(c -> c == '"' || c == '\n' || c == '\r' || c == 0);
  }

  /**
   * Returns a common delimiter with which a row has the expected number of fields; null if there is
   * none.
   *
   * @param delimiter the present delimiter, with which the row has another number of fields
   */
  public static @Nullable String otherDelimiter(String row, String delimiter, int expected) {
    for (String other : USUAL) {
      try {
        if (!other.equals(delimiter) && fields(row, other).size() == expected) {
          return other;
        }
      } catch (MalformedSampleException otherQuotes) {
        // This delimiter does not fit.
      }
    }
    return null;
  }

  /** Returns all fields of a row, even if there are more or fewer than expected. */
  public static List<String> fields(String row, String delimiter) throws MalformedSampleException {
    int most = 1;
    for (int at = row.indexOf(delimiter); at >= 0; at = row.indexOf(delimiter, at + 1)) {
      most++;
    }
    CsvRow split = new CsvRow(delimiter, most);
    int count = split.split(row);
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      fields.add(split.get(i));
    }
    return fields;
  }

  /** Returns a field of the row that was split last. */
  public String get(int field) {
    return fields[field];
  }

  /**
   * Splits a row into its fields and returns their number; fields beyond the expected number are
   * only counted.
   *
   * @throws MalformedSampleException if a quote is not closed, or text follows a closing one
   */
  public int split(String row) throws MalformedSampleException {
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
      at += delimiter.length();
      if (at == end) {
        add("");
        return count;
      }
    }
  }

  private boolean delimited(String row, int at, int end) {
    return row.charAt(at) == first
        && (delimiter.length() == 1
            || (at + delimiter.length() <= end && row.startsWith(delimiter, at)));
  }

  private int plain(String row, int from, int end) {
    int to = from;
    while (to < end && !delimited(row, to, end)) {
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
      } else if (at >= end || delimited(row, at, end)) {
        add(text.toString());
        return at;
      } else {
        throw new MalformedSampleException("field " + (count + 1), "text after the closing quote");
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
