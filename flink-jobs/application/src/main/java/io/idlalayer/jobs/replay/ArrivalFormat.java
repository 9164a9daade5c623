package io.idlalayer.jobs.replay;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The format of a file of arrivals, one per line. */
public enum ArrivalFormat {
  /** An arrival time in seconds per line, in any order. */
  SECONDS,
  /** Line n (from 0) is the number of arrivals in second n. */
  SECOND_COUNTS,
  /** A timestamp in the first column; other columns are ignored. */
  TIMESTAMP_CSV,
  /** A timestamp and the number of arrivals at it. */
  TIMESTAMP_COUNT_CSV,
  /** A web server's access log, in the common or combined format. */
  ACCESS_LOG,
  /** The decision events of a run, see {@link RecordedRun}. */
  DECISION_LOG;

  private static final Set<String> COUNT_COLUMNS =
      Set.of("value", "count", "arrivals", "requests", "events", "n", "number");
  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9.]+([eE][-+]?[0-9]+)?");
  private static final Pattern COUNT = Pattern.compile("[0-9]+(\\.0+)?");

  /** Returns the name used on the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the format that the first lines of a file suggest, without blank lines and comments.
   * JSON is a decision log; a bracketed time is an access log; a comma or a date is CSV, with
   * counts if it has exactly two columns and the second is named so or, without a header, holds
   * only whole numbers; single numbers are seconds if one has a fraction or they never fall and do
   * rise, else counts.
   */
  static ArrivalFormat recognise(List<String> lines) {
    if (lines.isEmpty()) {
      return SECONDS;
    }
    String first = lines.get(0);
    if (first.startsWith("{")) {
      return DECISION_LOG;
    }
    if (Timestamps.inAccessLog(first) != null) {
      return ACCESS_LOG;
    }
    if (!NUMBER.matcher(first).matches()) {
      return counted(lines) ? TIMESTAMP_COUNT_CSV : TIMESTAMP_CSV;
    }
    return timesInSeconds(lines) ? SECONDS : SECOND_COUNTS;
  }

  private static boolean counted(List<String> lines) {
    List<String> head = CsvFields.of(lines.get(0));
    if (head.size() != 2) {
      return false;
    }
    if (!Timestamps.looksLikeOne(head.get(0))) {
      return COUNT_COLUMNS.contains(head.get(1).toLowerCase(Locale.ROOT));
    }
    return lines.stream()
        .map(CsvFields::of)
        .allMatch(fields -> fields.size() == 2 && COUNT.matcher(fields.get(1)).matches());
  }

  private static boolean timesInSeconds(List<String> lines) {
    double before = Double.NEGATIVE_INFINITY;
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
      falls |= value < before;
      rises |= value > before && before != Double.NEGATIVE_INFINITY;
      before = value;
    }
    return rises && !falls;
  }
}
