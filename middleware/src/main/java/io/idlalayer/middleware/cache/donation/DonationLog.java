package io.idlalayer.middleware.cache.donation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The text form of donation rows, version 1: a line that names the version, a header, then one line
 * for each row, its values parted by commas. Commas, quotes and line ends in a job type are
 * refused, so that nothing needs quoting. Blank lines are skipped.
 */
public final class DonationLog {
  static final String VERSION = "# idlalayer donation log, version 1";
  static final String HEADER =
      "job_type,donation_mib,memory_mib,executors,gc_share,seconds_1,seconds_2,memory_mib_1,"
          + "memory_mib_2,seconds";
  private static final String VERSION_START = "# idlalayer donation log, version ";
  private static final int COLUMNS = 10;
  private static final int LINE_CHARS_MAX = 10_000;

  private DonationLog() {}

  /**
   * Writes a whole log.
   *
   * @throws IllegalArgumentException if a job type has a comma, a quote or a line end
   */
  public static void write(Appendable out, List<DonationRow> rows) throws IOException {
    out.append(VERSION).append('\n').append(HEADER).append('\n');
    for (DonationRow row : rows) {
      out.append(line(row)).append('\n');
    }
  }

  /** One row as a line, without its end. */
  public static String line(DonationRow row) {
    String type = row.jobType();
    if (type.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
        || !type.equals(type.strip())
        || type.startsWith("#")) {
      throw new IllegalArgumentException(
          "the job type '%s' cannot be written: it has a comma, a quote, a line end, a # in front"
                  .formatted(type)
              + " or blanks around it");
    }
    Surroundings at = row.surroundings();
    return String.join(
        ",",
        type,
        text(row.donationMib()),
        text(at.memoryMib()),
        Integer.toString(at.executors()),
        text(at.gcShare()),
        text(at.seconds1()),
        text(at.seconds2()),
        text(at.memoryMib1()),
        text(at.memoryMib2()),
        text(row.seconds()));
  }

  private static String text(double value) {
    return value == Math.rint(value) && value < 1e15
        ? Long.toString((long) value)
        : Double.toString(value).toLowerCase(Locale.ROOT);
  }

  /**
   * Reads a log.
   *
   * @throws DonationLogException naming the line: another version or header, a wrong number of
   *     values, a value that is no number or out of range
   */
  public static List<DonationRow> read(Reader in) throws IOException {
    BufferedReader lines = in instanceof BufferedReader already ? already : new BufferedReader(in);
    checkStart(lines.readLine(), lines.readLine());
    List<DonationRow> rows = new ArrayList<>();
    int number = 2;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      if (!line.isBlank()) {
        rows.add(row(number, line));
      }
    }
    return rows;
  }

  private static void checkStart(@Nullable String version, @Nullable String header) {
    if (version == null || !version.startsWith(VERSION_START)) {
      throw new DonationLogException(1, "'" + VERSION + "' is due; is this a donation log?");
    }
    if (!version.strip().equals(VERSION)) {
      throw new DonationLogException(
          1, "'%s' is of another version; this program reads 1".formatted(version.strip()));
    }
    if (header == null || !header.strip().equals(HEADER)) {
      throw new DonationLogException(2, "the header '" + HEADER + "' is due");
    }
  }

  private static DonationRow row(int number, String line) {
    if (line.length() > LINE_CHARS_MAX) {
      throw new DonationLogException(number, line.length() + " characters are too many");
    }
    String[] values = line.split(",", -1);
    if (values.length != COLUMNS) {
      throw new DonationLogException(
          number, "%d values where %d are due".formatted(values.length, COLUMNS));
    }
    String[] names = HEADER.split(",", -1);
    double[] numbers = new double[COLUMNS];
    for (int i = 1; i < COLUMNS; i++) {
      try {
        numbers[i] = Double.parseDouble(values[i].strip());
      } catch (NumberFormatException notANumber) {
        throw new DonationLogException(
            number, "%s is '%s', not a number".formatted(names[i], values[i]));
      }
    }
    if (numbers[3] != Math.rint(numbers[3]) || Math.abs(numbers[3]) > Integer.MAX_VALUE) {
      throw new DonationLogException(number, "executors is " + values[3] + ", not a whole number");
    }
    try {
      Surroundings at =
          new Surroundings(
              numbers[2],
              (int) numbers[3],
              numbers[4],
              numbers[5],
              numbers[6],
              numbers[7],
              numbers[8]);
      return new DonationRow(values[0].strip(), numbers[1], at, numbers[9]);
    } catch (IllegalArgumentException outOfRange) {
      throw new DonationLogException(number, String.valueOf(outOfRange.getMessage()));
    }
  }
}
