package io.idlalayer.jobs.replay;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses times in the usual notations of users and programs, to epoch nanoseconds. */
final class Timestamps {
  private static final Pattern BRACKETED =
      Pattern.compile("\\[(\\d{2}/[A-Z][a-z]{2}/\\d{4}:\\d{2}:\\d{2}:\\d{2} [-+]\\d{4})\\]");
  private static final DateTimeFormatter ACCESS_LOG =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
  private static final BigDecimal BILLION = BigDecimal.valueOf(1_000_000_000L);

  /**
   * Epoch seconds of the year 2500; a larger number is in milliseconds, microseconds or
   * nanoseconds.
   */
  private static final BigDecimal LAST_SECOND = BigDecimal.valueOf(16_725_225_600L);

  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

  private Timestamps() {}

  static boolean looksLikeOne(String text) {
    try {
      nanos(text);
      return true;
    } catch (DateTimeException | ArithmeticException no) {
      return false;
    }
  }

  /**
   * Parses a time in ISO 8601 with T or a space, with or without fraction and zone (none means
   * UTC), or in epoch seconds, milliseconds, microseconds or nanoseconds, which are distinguished
   * by their size.
   *
   * @throws DateTimeException if it is none of these
   */
  static long nanos(String text) {
    if (text.isEmpty()) {
      throw new DateTimeException("empty");
    }
    if (text.indexOf(':') < 0 && text.indexOf('-', 1) < 0) {
      return epoch(text);
    }
    String iso = text.replace(' ', 'T').toUpperCase(Locale.ROOT);
    boolean zoned = iso.endsWith("Z") || iso.lastIndexOf('+') > 10 || iso.lastIndexOf('-') > 10;
    Instant instant =
        zoned
            ? OffsetDateTime.parse(iso).toInstant()
            : LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC);
    return nanos(instant);
  }

  private static long epoch(String text) {
    BigDecimal value;
    try {
      value = new BigDecimal(text);
    } catch (NumberFormatException word) {
      throw new DateTimeException("neither a date nor a number", word);
    }
    while (value.abs().compareTo(LAST_SECOND) > 0) {
      value = value.divide(THOUSAND);
    }
    return seconds(value);
  }

  /** Converts seconds to nanoseconds; digits below a nanosecond are rounded. */
  static long seconds(BigDecimal value) {
    return value.multiply(BILLION).setScale(0, RoundingMode.HALF_EVEN).longValueExact();
  }

  /** Returns the bracketed time of an access log line, or null. */
  static @Nullable String inAccessLog(String line) {
    Matcher found = BRACKETED.matcher(line);
    return found.find() ? found.group(1) : null;
  }

  static long accessLogNanos(String bracketed) {
    return nanos(OffsetDateTime.parse(bracketed, ACCESS_LOG).toInstant());
  }

  private static long nanos(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }
}
