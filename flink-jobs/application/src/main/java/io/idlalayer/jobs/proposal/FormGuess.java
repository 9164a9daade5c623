package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds out from the first lines of an input how its events are written. */
final class FormGuess {
  /** Largest number of columns of an input for which a file is proposed. */
  static final int MOST_COLUMNS = 10_000;

  private static final List<String> DELIMITERS = List.of(",", ";", "\t", "|", "::");

  /** Characters with which delimiters end. */
  private static final String BEFORE_FIELD = ",;\t|: ";

  private static final int CRITEO_FIELDS = 40;
  private static final int CRITEO_INTEGERS = 13;
  private static final Pattern CRITEO_CATEGORY = Pattern.compile("[0-9a-f]{8}|");
  private static final Pattern CRITEO_INTEGER = Pattern.compile("-?[0-9]+|");
  private static final String SEPARATOR_LINE = "sep=";

  /** Largest number of further lines of a row while the form is being found. */
  private static final int JOINED_LINES_MAX = 20;

  /** Least share of lines that have the same number of fields. */
  private static final double REGULAR = 0.7;

  private final List<String> lines;
  private final String encoding;
  private final boolean mayHaveHeader;

  private FormGuess(List<String> lines, String encoding, boolean mayHaveHeader) {
    this.lines = lines;
    this.encoding = encoding;
    this.mayHaveHeader = mayHaveHeader;
  }

  /**
   * Finds the form of events.
   *
   * @param first the first lines or records of the input
   * @param encoding name of their encoding; null to find it
   * @param mayHaveHeader whether the first line can be the names of columns, as in a file
   * @param header whether the first line is the names of columns; null to find out
   * @throws NoProposalException if the product cannot read events of this form
   */
  static EventForm of(
      List<byte[]> first,
      @Nullable String encoding,
      boolean mayHaveHeader,
      @Nullable Boolean header)
      throws NoProposalException {
    String name = encoding == null ? encoding(first) : encoding;
    List<String> lines = new ArrayList<>();
    for (byte[] each : first) {
      lines.add(text(each, name));
    }
    return new FormGuess(lines, name, mayHaveHeader).form(header);
  }

  /** Returns the text of an event, with a replacement for bytes of another encoding. */
  static String text(byte[] event, String encoding) {
    String text = new String(event, EventEncoding.of(encoding).ofEvents());
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  /** Returns the encoding of events: UTF-8, unless one event has bytes that are not UTF-8. */
  static String encoding(List<byte[]> events) {
    boolean windows = true;
    boolean utf8 = true;
    for (byte[] each : events) {
      try {
        String unused = EventEncoding.UTF_8.text(each);
      } catch (MalformedSampleException other) {
        utf8 = false;
      }
      windows &=
          new String(each, EventEncoding.of("windows-1252").ofEvents()).indexOf('\uFFFD') < 0;
    }
    return utf8
        ? EventEncoding.UTF_8.name()
        : windows ? "windows-1252" : StandardCharsets.ISO_8859_1.name().toLowerCase(Locale.ROOT);
  }

  private EventForm form(@Nullable Boolean header) throws NoProposalException {
    if (lines.isEmpty()) {
      throw new NoProposalException("there is no event to look at");
    }
    String first = lines.get(0).strip();
    if (first.startsWith("{")) {
      return new EventForm(Format.JSON, encoding, ",", false, List.of(), NumberNotation.PLAIN);
    }
    List<String> lines = joined(this.lines);
    boolean separated =
        first.startsWith(SEPARATOR_LINE) && first.length() > SEPARATOR_LINE.length();
    List<String> rows = separated ? lines.subList(1, lines.size()) : lines;
    if (rows.isEmpty()) {
      throw new NoProposalException("there is no event to look at after the first line " + first);
    }
    String delimiter = separated ? first.substring(SEPARATOR_LINE.length()) : delimiter(rows);
    int columns = usualCount(rows, delimiter).fields();
    checkColumns(columns);
    List<List<String>> fields = new ArrayList<>();
    for (String row : rows) {
      List<String> split = split(row, delimiter);
      if (split.size() == columns) {
        fields.add(split);
      }
    }
    if (columns == CRITEO_FIELDS && delimiter.equals("\t") && isCriteo(fields)) {
      return new EventForm(
          Format.CRITEO_TSV, encoding, "\t", false, List.of(), NumberNotation.PLAIN);
    }
    boolean named = header(rows, delimiter, columns, fields, header);
    return new EventForm(
        Format.CSV,
        encoding,
        delimiter,
        named,
        named ? names(fields.get(0)) : numbered(columns),
        NumberNotation.PLAIN);
  }

  /** Returns lines; lines that belong to one field in quotes are joined. */
  private static List<String> joined(List<String> lines) {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      StringBuilder row = new StringBuilder(lines.get(i));
      int last = i;
      while (endsInQuotes(row) && last + 1 < lines.size() && last - i < JOINED_LINES_MAX) {
        last++;
        row.append('\n').append(lines.get(last));
      }
      boolean whole = !endsInQuotes(row);
      rows.add(whole ? row.toString() : lines.get(i));
      i = whole ? last : i;
    }
    return rows;
  }

  /**
   * Returns whether a row goes on behind its end. Quotes begin with a field; one inside of a text,
   * such as that of 5", is a character like others.
   */
  private static boolean endsInQuotes(CharSequence row) {
    boolean inside = false;
    for (int i = 0; i < row.length(); i++) {
      boolean quote = row.charAt(i) == '"';
      if (inside && quote && i + 1 < row.length() && row.charAt(i + 1) == '"') {
        i++;
      } else if (quote) {
        inside = !inside && (i == 0 || BEFORE_FIELD.indexOf(row.charAt(i - 1)) >= 0);
      }
    }
    return inside;
  }

  private static void checkColumns(int columns) throws NoProposalException {
    if (columns > MOST_COLUMNS) {
      throw new NoProposalException(
          String.format(
              Locale.ROOT,
              "the rows have %,d columns, and init looks at %,d at most: choose those that matter"
                  + " first",
              columns,
              MOST_COLUMNS));
    }
  }

  private boolean header(
      List<String> rows,
      String delimiter,
      int columns,
      List<List<String>> fields,
      @Nullable Boolean said)
      throws NoProposalException {
    boolean named = said == null ? mayHaveHeader && looksLikeNames(fields) : said;
    int first = split(rows.get(0), delimiter).size();
    if (named && first != columns) {
      throw new NoProposalException(
          String.format(
              Locale.ROOT,
              "the first line has %,d fields, and the rows have %,d: a header must have a name for"
                  + " each column; add the missing names, or pass --header false",
              first,
              columns));
    }
    return named && first == columns;
  }

  /** Returns names that can be written in an application file. Other names are replaced by "". */
  private static List<String> names(List<String> header) {
    Set<String> once = new HashSet<>();
    List<String> names = new ArrayList<>();
    for (String each : header) {
      String name = each.strip();
      names.add(ColumnNames.sayable(name) && once.add(name) ? name : "");
    }
    return names;
  }

  private static List<String> numbered(int columns) {
    return IntStream.rangeClosed(1, columns).mapToObj(i -> "f" + i).toList();
  }

  /** The usual number of fields of rows, and the share of rows that have it. */
  private record Count(int fields, double share) {}

  private static Count usualCount(List<String> rows, String delimiter) {
    Map<Integer, Integer> counts = new HashMap<>();
    CsvRow counter = new CsvRow(delimiter, 1);
    for (String row : rows) {
      counts.merge(fields(counter, row), 1, Integer::sum);
    }
    return counts.entrySet().stream()
        .max(
            Map.Entry.<Integer, Integer>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey()))
        .map(most -> new Count(most.getKey(), (double) most.getValue() / rows.size()))
        .orElse(new Count(0, 0));
  }

  private static int fields(CsvRow counter, String row) {
    try {
      return counter.split(row);
    } catch (MalformedSampleException broken) {
      return 0;
    }
  }

  private static List<String> split(String row, String delimiter) {
    try {
      return CsvRow.fields(row, delimiter);
    } catch (MalformedSampleException broken) {
      // A row that is broken or continues in the next line is ignored.
      return List.of();
    }
  }

  private String delimiter(List<String> rows) throws NoProposalException {
    String best = null;
    double bestScore = 0;
    for (String each : DELIMITERS) {
      Count count = usualCount(rows, each);
      if (count.fields() >= 2 && count.share() >= REGULAR) {
        checkColumns(count.fields());
        double score = count.share() * cleanShare(rows, each);
        if (score > bestScore + 1e-9) {
          bestScore = score;
          best = each;
        }
      }
    }
    if (best == null) {
      Count spaces = usualCount(rows, " ");
      if (spaces.fields() >= 2 && spaces.share() >= REGULAR) {
        return " ";
      }
      throw new NoProposalException(
          "the lines are neither JSON objects nor rows with a delimiter (comma, semicolon, tab, bar,"
              + " two colons, space) and the same number of fields; the first is "
              + Shown.of(lines.get(0), 60));
    }
    return best;
  }

  /**
   * Returns the share of fields that contain no other delimiter. Numbers with such a character as
   * separator count as clean.
   */
  private static double cleanShare(List<String> rows, String delimiter) {
    long all = 0;
    long clean = 0;
    for (String row : rows) {
      for (String field : split(row, delimiter)) {
        all++;
        boolean other =
            DELIMITERS.stream()
                .anyMatch(
                    it -> !it.equals(delimiter) && !delimiter.contains(it) && field.contains(it));
        clean += !other || NotationGuess.isNumber(field) ? 1 : 0;
      }
    }
    return all == 0 ? 0 : (double) clean / all;
  }

  private static boolean isCriteo(List<List<String>> rows) {
    return !rows.isEmpty()
        && rows.stream()
            .allMatch(
                row ->
                    (row.get(0).equals("0") || row.get(0).equals("1"))
                        && row.subList(1, CRITEO_INTEGERS + 1).stream()
                            .allMatch(it -> CRITEO_INTEGER.matcher(it).matches())
                        && row.subList(CRITEO_INTEGERS + 1, CRITEO_FIELDS).stream()
                            .allMatch(it -> CRITEO_CATEGORY.matcher(it).matches()));
  }

  /**
   * Returns whether the first row consists of names: it has no numbers and no name twice, and it
   * either stands above a column of numbers or has texts that occur in no other row.
   */
  private static boolean looksLikeNames(List<List<String>> rows) {
    if (rows.size() < 2) {
      return false;
    }
    List<String> first = rows.get(0);
    boolean anyName = false;
    for (String field : first) {
      if (NotationGuess.isNumber(field)) {
        return false;
      }
      anyName |= !field.isBlank();
    }
    if (!anyName) {
      return false;
    }
    boolean aboveNumbers = false;
    int repeated = 0;
    for (int i = 0; i < first.size(); i++) {
      int column = i;
      List<String> below = rows.stream().skip(1).map(row -> row.get(column)).toList();
      long numbers = below.stream().filter(NotationGuess::isNumber).count();
      aboveNumbers |= 2 * numbers > below.size();
      repeated += !first.get(i).isBlank() && below.contains(first.get(i)) ? 1 : 0;
    }
    return aboveNumbers || repeated == 0;
  }
}
