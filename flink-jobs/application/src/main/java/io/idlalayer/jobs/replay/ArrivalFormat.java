package io.idlalayer.jobs.replay;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.Timestamps;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The format of a file of arrivals, one per line. */
public enum ArrivalFormat {
  /** An arrival time in seconds per line, in any order. */
  SECONDS,
  /** Line n (from 0) is the number of arrivals in second n. */
  SECOND_COUNTS,
  /** A timestamp in the first column; other columns are ignored. */
  TIMESTAMP_CSV,
  /** A timestamp and the number of arrivals at this time. */
  TIMESTAMP_COUNT_CSV,
  /** A web server's access log, in the common or combined format. */
  ACCESS_LOG,
  /** The decision events of a run, see {@link RecordedRun}. */
  DECISION_LOG;

  /** Epoch second of the year 1973; no second has this number of arrivals. */
  private static final double LEAST_EPOCH_SECOND = 1e8;

  private static final Set<String> COUNT_COLUMNS =
      Set.of("value", "count", "arrivals", "requests", "events", "n", "number");
  private static final Pattern BRACKETED =
      Pattern.compile("\\[(\\d{2}/[A-Z][a-z]{2}/\\d{4}:\\d{2}:\\d{2}:\\d{2} [-+]\\d{4})\\]");
  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9.]+([eE][-+]?[0-9]+)?");

  /** Returns the name used on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the format that the first lines of a file suggest, without blank lines and comments.
   * JSON is a decision log; a bracketed time is an access log; a comma or a date is CSV, with
   * counts if a header says so: it has exactly two columns, and the second is named as counts are.
   * Single numbers are times in three cases: one of them has a fraction, all are about as large as
   * the present time, or they rise and never fall. Otherwise they are counts, one for each second.
   * In CSV, numbers that are too large for seconds are milliseconds, microseconds or nanoseconds.
   */
  static ArrivalFormat recognise(List<String> lines) {
    if (lines.isEmpty()) {
      return SECONDS;
    }
    String first = lines.get(0);
    if (first.startsWith("{")) {
      return DECISION_LOG;
    }
    if (inAccessLog(first) != null) {
      return ACCESS_LOG;
    }
    if (!NUMBER.matcher(first).matches()) {
      return counted(lines) ? TIMESTAMP_COUNT_CSV : TIMESTAMP_CSV;
    }
    if (!timesInSeconds(lines)) {
      return SECOND_COUNTS;
    }
    return Timestamps.isBeyondSeconds(first) ? TIMESTAMP_CSV : SECONDS;
  }

  private static boolean counted(List<String> lines) {
    List<String> head = fields(lines.get(0));
    return head.size() == 2
        && !Timestamps.looksLikeOne(head.get(0))
        && COUNT_COLUMNS.contains(head.get(1).toLowerCase(Locale.ROOT));
  }

  /**
   * Returns the fields of a line of CSV, without spaces around them; if the line is not CSV, the
   * line itself.
   */
  static List<String> fields(String line) {
    try {
      return CsvRow.fields(line, ",").stream().map(String::strip).toList();
    } catch (MalformedSampleException noRow) {
      return List.of(line);
    }
  }

  /** Returns the bracketed time of an access log line, or null. */
  static @Nullable String inAccessLog(String line) {
    Matcher found = BRACKETED.matcher(line);
    return found.find() ? found.group(1) : null;
  }

  private static boolean timesInSeconds(List<String> lines) {
    double before = Double.NEGATIVE_INFINITY;
    double least = Double.POSITIVE_INFINITY;
    boolean falls = false;
    boolean rises = false;
    for (String line : lines) {
      if (!NUMBER.matcher(line).matches()) {
        return true;
      }
      if (line.indexOf('.') >= 0 || line.indexOf('e') >= 0 || line.indexOf('E') >= 0) {
        return true;
      }
      double value = Double.parseDouble(line);
      least = Math.min(least, value);
      falls |= value < before;
      rises |= value > before && before != Double.NEGATIVE_INFINITY;
      before = value;
    }
    return (rises && !falls) || least >= LEAST_EPOCH_SECOND;
  }
}
