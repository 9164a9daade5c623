package io.idlalayer.jobs.replay;

import io.idlalayer.middleware.sample.file.EncodedText;
import io.idlalayer.middleware.sample.file.PackedFile;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.middleware.sample.text.Timestamps;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads arrival times from a file, plain or gzip, line by line. Blank lines and lines that start
 * with # are skipped. Arrivals out of order are sorted and counted.
 */
public final class ArrivalFile {
  private static final int RECOGNISED_BY = 1_000;
  private static final int SHOWN = 80;
  private static final int NUMBER_CHARACTERS_MAX = 100;
  private static final long SECOND = 1_000_000_000L;

  private final Path file;
  private final ArrivalFormat format;
  private final ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
  private long lines;
  private long records;

  private ArrivalFile(Path file, ArrivalFormat format) {
    this.file = file;
    this.format = format;
  }

  /**
   * The arrivals in a file, and facts about the file.
   *
   * @param recognised whether the format was guessed
   * @param lines number of lines with content
   * @param outOfOrder number of lines that were earlier than a previous one
   */
  public record Loaded(
      ArrivalTrace trace, ArrivalFormat format, boolean recognised, long lines, long outOfOrder) {}

  /** Returns the given format, or else the format that the first lines suggest. */
  public static ArrivalFormat format(Path file, @Nullable ArrivalFormat given) throws IOException {
    if (given != null) {
      return given;
    }
    List<String> first = new ArrayList<>();
    try (LineRecordReader in = LineRecordReader.open(file)) {
      while (first.size() < RECOGNISED_BY && in.next()) {
        String line = text(in);
        if (!skipped(line)) {
          first.add(line.strip());
        }
      }
    } catch (UnreadableFileException damaged) {
      // A caller that reads the whole file reports the problem.
      if (!damaged.isDamage()) {
        throw damaged;
      }
    }
    return ArrivalFormat.recognise(first);
  }

  /**
   * Reads the arrivals in a file.
   *
   * @param given format of the file; null to recognise it
   * @throws IOException if the file cannot be read or has a malformed line; the message then has
   *     the file, the line and its text
   */
  public static Loaded read(Path file, @Nullable ArrivalFormat given) throws IOException {
    ArrivalFormat format = format(file, given);
    if (format == ArrivalFormat.DECISION_LOG) {
      throw new IOException(file + " is a decision log; it is read by RecordedRun");
    }
    ArrivalFile reading = new ArrivalFile(file, format);
    try (LineRecordReader in = LineRecordReader.open(file)) {
      while (in.next()) {
        reading.lines = in.position();
        String line = text(in);
        if (!skipped(line)) {
          reading.take(line.strip());
        }
      }
    } catch (UnreadableFileException damaged) {
      throw damaged.adding("nothing of it is replayed");
    }
    return new Loaded(
        reading.built(), format, given == null, reading.records, reading.trace.outOfOrder());
  }

  private ArrivalTrace built() throws IOException {
    try {
      return trace.build();
    } catch (ArithmeticException far) {
      throw new IOException(
          file + ": the first arrival and the last are more than 292 years apart", far);
    }
  }

  private static boolean skipped(String line) {
    return line.isBlank() || line.startsWith("#");
  }

  private static String text(LineRecordReader in) {
    return new String(in.record(), StandardCharsets.UTF_8);
  }

  /** Returns the bytes of a file as UTF-8, unpacked, without a byte order mark. */
  static InputStream bytes(Path file) throws IOException {
    InputStream in = PackedFile.open(file);
    try {
      return EncodedText.of(in, file.toString(), EventEncoding.UTF_8);
    } catch (IOException refused) {
      in.close();
      throw refused;
    }
  }

  private void take(String line) throws IOException {
    try {
      switch (format) {
        case SECONDS -> trace.add(Timestamps.seconds(number(line)), 1);
        case SECOND_COUNTS -> trace.add(records * SECOND, count(line));
        case TIMESTAMP_CSV -> timestamp(line, false);
        case TIMESTAMP_COUNT_CSV -> timestamp(line, true);
        case ACCESS_LOG -> accessLog(line);
        case DECISION_LOG -> throw new IllegalStateException("not read here");
      }
      records++;
    } catch (DateTimeException | ArithmeticException | NumberFormatException bad) {
      throw malformed(line, bad);
    }
  }

  private void timestamp(String line, boolean counted) {
    List<String> fields = ArrivalFormat.fields(line);
    if (records == 0 && !Timestamps.looksLikeOne(fields.get(0))) {
      return; // The first line can be a header.
    }
    if (counted && fields.size() < 2) {
      throw new NumberFormatException("no second column");
    }
    trace.add(Timestamps.nanos(fields.get(0)), counted ? count(fields.get(1)) : 1);
  }

  private void accessLog(String line) {
    String time = ArrivalFormat.inAccessLog(line);
    if (time == null) {
      throw new DateTimeException("it has no time in brackets");
    }
    trace.add(Timestamps.nanos(time), 1);
  }

  private static BigDecimal number(String text) {
    String plain = text.length() > NUMBER_CHARACTERS_MAX ? null : NumberNotation.PLAIN.plain(text);
    if (plain == null) {
      throw new NumberFormatException("no number");
    }
    return new BigDecimal(plain);
  }

  private static int count(String text) {
    int count = number(text).intValueExact();
    if (count < 0) {
      throw new NumberFormatException("a count below 0");
    }
    return count;
  }

  private IOException malformed(String line, RuntimeException cause) {
    String expected =
        switch (format) {
          case SECONDS -> "a time in seconds";
          case SECOND_COUNTS -> "a whole number of arrivals";
          case TIMESTAMP_CSV -> "a timestamp in the first column";
          case TIMESTAMP_COUNT_CSV -> "a timestamp and a whole number of arrivals";
          case ACCESS_LOG -> "a time such as [17/May/2015:10:05:03 +0000]";
          case DECISION_LOG -> "a decision event";
        };
    // Messages of other exceptions are texts of the JDK.
    String reason = cause instanceof DateTimeException ? ": " + cause.getMessage() : "";
    return new IOException(
        "%s:%d: %s: expected %s (format %s; --format says another)%s"
            .formatted(file, lines, Shown.of(line, SHOWN), expected, format.key(), reason),
        cause);
  }
}
