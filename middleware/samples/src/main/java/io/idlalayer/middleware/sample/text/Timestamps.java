package io.idlalayer.middleware.sample.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses times in the notations that people and programs use.
 *
 * <ul>
 *   <li>ISO 8601, extended or basic, with T or a space: {@code 2024-03-05T10:00:00.5+01:00}, {@code
 *       20240305T100000Z}, {@code 2024-03-05 10:00}, {@code 2024-03-05}
 *   <li>{@code 2024/03/05 10:00:00}, {@code 05.03.2024 10:00}, {@code 10:00 PM}
 *   <li>{@code Tue, 05 Mar 2024 10:00:00 +0100} (mail and HTTP), {@code 05/Mar/2024:10:00:00 +0100}
 *       (access logs), {@code Tue Mar 5 10:00:00 2024} (C)
 *   <li>epoch seconds, milliseconds, microseconds or nanoseconds, which are told apart by their
 *       size
 * </ul>
 *
 * <p>A time without a zone is in UTC. A date in which day and month cannot be told apart, such as
 * 03/05/2024, is refused.
 */
public final class Timestamps {
  private static final List<String> MONTHS =
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

  private static final String NAMED_MONTH =
      "(?<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
  private static final String TIME =
      "(?<h>\\d{1,2}):(?<m>\\d{2})(?::(?<s>\\d{2})(?:[.,](?<f>\\d+))?)?(?:"
          + " ?(?<half>[ap])\\.?m\\.?)?";
  private static final String BASIC_TIME =
      "(?<h>\\d{2})(?<m>\\d{2})(?:(?<s>\\d{2})(?:[.,](?<f>\\d+))?)?(?<half>$^)?";
  private static final String ZONE =
      " ?(?<zone>z|utc|gmt|(?:utc|gmt)?[-+\u2212]\\d{1,2}(?::?\\d{2})?)?(?:\\[(?<region>[\\w/+-]+)\\])?";

  private static final List<Form> FORMS =
      List.of(
          form("(?<y>\\d{4})-(?<mo>\\d{1,2})-(?<d>\\d{1,2})(?:(?:t| +)" + TIME + ZONE + ")?"),
          form("(?<y>\\d{4})/(?<mo>\\d{1,2})/(?<d>\\d{1,2})(?:(?:t| +)" + TIME + ZONE + ")?"),
          form("(?<d>\\d{1,2})\\.(?<mo>\\d{1,2})\\.(?<y>\\d{4})(?:(?:t|,? +)" + TIME + ZONE + ")?"),
          form("(?<y>\\d{4})(?<mo>\\d{2})(?<d>\\d{2})[t ]" + BASIC_TIME + ZONE),
          form("(?<y>\\d{4})(?<mo>\\d{2})(?<d>\\d{2})[t ]" + TIME + ZONE),
          form("(?<y>\\d{4})-(?<mo>\\d{2})-(?<d>\\d{2})[t ]" + BASIC_TIME + ZONE),
          named(
              "(?:[a-z]{3,9}, ?)?(?<d>\\d{1,2})[ -]"
                  + NAMED_MONTH
                  + "[ -](?<y>\\d{4})(?:,? +"
                  + TIME
                  + ZONE
                  + ")?"),
          named("(?<d>\\d{2})/" + NAMED_MONTH + "/(?<y>\\d{4}):" + TIME + ZONE),
          named(
              "(?:[a-z]{3} )?"
                  + NAMED_MONTH
                  + " +(?<d>\\d{1,2}) "
                  + TIME
                  + " (?<y>\\d{4})"
                  + ZONE));

  /** A date of eight digits, and a time of six: numbers that are not epochs of this century. */
  private static final Pattern DIGITS =
      Pattern.compile("((?:19|20)\\d{2})(\\d{2})(\\d{2})(?:(\\d{2})(\\d{2})(\\d{2}))?");

  private static final Pattern EITHER_WAY =
      Pattern.compile("\\d{1,2}[/-]\\d{1,2}[/-]\\d{2,4}\\b.*", Pattern.DOTALL);
  private static final BigDecimal BILLION = BigDecimal.valueOf(1_000_000_000L);

  /**
   * Epoch seconds of the year 2500; a larger number is in milliseconds, microseconds or
   * nanoseconds.
   */
  private static final BigDecimal LAST_SECOND = BigDecimal.valueOf(16_725_225_600L);

  private static final int LENGTH_MAX = 100;
  private static final int WHOLE_DIGITS_MAX = 30;
  private static final int NANOS_DIGITS = 9;
  private static final String BEYOND = "beyond the years that times have";

  private Timestamps() {}

  /**
   * A notation of times.
   *
   * @param named whether the month is a word
   */
  private record Form(Pattern pattern, boolean named) {}

  private static Form form(String regex) {
    return new Form(Pattern.compile(regex, Pattern.CASE_INSENSITIVE), false);
  }

  private static Form named(String regex) {
    return new Form(Pattern.compile(regex, Pattern.CASE_INSENSITIVE), true);
  }

  /** Returns whether a text is a time. */
  public static boolean looksLikeOne(String text) {
    try {
      nanos(text);
      return true;
    } catch (DateTimeException | ArithmeticException no) {
      return false;
    }
  }

  /**
   * Returns the epoch nanoseconds of a time.
   *
   * @throws DateTimeException if the text is none; the message says why, if there is more to say
   * @throws ArithmeticException if it is before 1677 or after 2262
   */
  public static long nanos(String text) {
    Instant instant = read(text).toInstant();
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }

  /**
   * Returns a time with the offset that it is written with; UTC if there is none.
   *
   * @throws DateTimeException if the text is not a time; the message says why, if there is more to
   *     say
   */
  public static OffsetDateTime read(String text) {
    String trimmed = text.strip();
    if (trimmed.isEmpty()) {
      throw new DateTimeException("empty");
    }
    if (trimmed.length() > LENGTH_MAX) {
      throw new DateTimeException("no time");
    }
    String number = NumberNotation.PLAIN.plain(trimmed);
    if (number != null) {
      return ofNumber(number);
    }
    for (Form each : FORMS) {
      Matcher found = each.pattern().matcher(trimmed);
      if (found.matches()) {
        return time(found, each.named());
      }
    }
    if (EITHER_WAY.matcher(trimmed).matches()) {
      throw new DateTimeException("day and month cannot be told apart; write year-month-day");
    }
    throw new DateTimeException("no time");
  }

  private static OffsetDateTime ofNumber(String text) {
    Matcher digits = DIGITS.matcher(text);
    if (digits.matches()) {
      try {
        LocalDate date = date(digits.group(1), digits.group(2), digits.group(3));
        LocalTime time =
            digits.group(4) == null
                ? LocalTime.MIDNIGHT
                : LocalTime.of(number(digits, 4), number(digits, 5), number(digits, 6));
        return date.atTime(time).atOffset(ZoneOffset.UTC);
      } catch (DateTimeException noDate) {
        return epoch(decimal(text));
      }
    }
    return epoch(decimal(text));
  }

  private static BigDecimal decimal(String number) {
    try {
      return new BigDecimal(number);
    } catch (NumberFormatException exponent) {
      throw new DateTimeException(BEYOND, exponent);
    }
  }

  private static int number(Matcher found, int group) {
    return Integer.parseInt(found.group(group));
  }

  private static LocalDate date(String year, String month, String day) {
    return LocalDate.of(Integer.parseInt(year), Integer.parseInt(month), Integer.parseInt(day));
  }

  /**
   * Returns the time of an epoch number in UTC; its size says whether it counts seconds or parts of
   * them.
   *
   * @throws DateTimeException if it is beyond the years that times have
   */
  public static OffsetDateTime epoch(BigDecimal number) {
    if (wholeDigits(number) > WHOLE_DIGITS_MAX) {
      throw new DateTimeException(BEYOND);
    }
    BigDecimal value = number;
    while (value.abs().compareTo(LAST_SECOND) > 0) {
      value = value.movePointLeft(3);
    }
    try {
      long nanos = seconds(value);
      return Instant.ofEpochSecond(
              Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L))
          .atOffset(ZoneOffset.UTC);
    } catch (ArithmeticException far) {
      throw new DateTimeException(BEYOND, far);
    }
  }

  /**
   * Returns whether a number is too large for epoch seconds, so that it counts parts of them; false
   * for a text that is not a number.
   */
  public static boolean isBeyondSeconds(String text) {
    double number = Math.abs(NumberNotation.PLAIN.read(text));
    return number > LAST_SECOND.doubleValue();
  }

  /**
   * Converts seconds to nanoseconds; digits below a nanosecond are rounded.
   *
   * @throws ArithmeticException if there are too many
   */
  public static long seconds(BigDecimal value) {
    long wholeDigits = wholeDigits(value);
    // An exponent could make the number endless on either side of its point.
    if (wholeDigits > WHOLE_DIGITS_MAX) {
      throw new ArithmeticException(BEYOND);
    }
    if (value.signum() == 0 || wholeDigits < -NANOS_DIGITS) {
      return 0;
    }
    return value.multiply(BILLION).setScale(0, RoundingMode.HALF_EVEN).longValueExact();
  }

  /**
   * Returns the number of digits before the point; below 0, the number of zeros behind it is told.
   */
  private static long wholeDigits(BigDecimal value) {
    return value.signum() == 0 ? 0 : (long) value.precision() - value.scale();
  }

  private static OffsetDateTime time(Matcher found, boolean named) {
    String month =
        named
            ? String.valueOf(
                1 + MONTHS.indexOf(found.group("name").substring(0, 3).toLowerCase(Locale.ROOT)))
            : found.group("mo");
    LocalDate date = date(found.group("y"), month, found.group("d"));
    String hours = found.group("h");
    LocalDateTime local = date.atStartOfDay();
    if (hours != null) {
      local = timeOfDay(found, date, Integer.parseInt(hours));
    }
    String zone = found.group("zone");
    String region = found.group("region");
    if (zone != null) {
      return local.atOffset(offset(zone));
    }
    return region == null
        ? local.atOffset(ZoneOffset.UTC)
        : local.atZone(ZoneId.of(region)).toOffsetDateTime();
  }

  private static LocalDateTime timeOfDay(Matcher found, LocalDate date, int written) {
    int minutes = Integer.parseInt(found.group("m"));
    String second = found.group("s");
    int seconds = second == null ? 0 : Integer.parseInt(second);
    int nanos = nanosOf(found.group("f"));
    int hours = hours(written, found.group("half"));
    if (hours == 24 && minutes == 0 && seconds == 0 && nanos == 0) {
      return date.plusDays(1).atStartOfDay();
    }
    return date.atTime(LocalTime.of(hours, minutes, seconds, nanos));
  }

  private static int hours(int written, @Nullable String half) {
    if (half == null) {
      return written;
    }
    if (written < 1 || written > 12) {
      throw new DateTimeException(String.format(Locale.ROOT, "hour %d of a half day", written));
    }
    return written % 12 + (half.equalsIgnoreCase("p") ? 12 : 0);
  }

  private static int nanosOf(@Nullable String fraction) {
    return fraction == null ? 0 : Integer.parseInt((fraction + "000000000").substring(0, 9));
  }

  private static ZoneOffset offset(String written) {
    String zone = written.toLowerCase(Locale.ROOT).replace('\u2212', '-');
    if (zone.startsWith("utc") || zone.startsWith("gmt")) {
      zone = zone.substring(3);
    }
    if (zone.isEmpty() || zone.equals("z")) {
      return ZoneOffset.UTC;
    }
    String digits = zone.substring(1).replace(":", "");
    int sign = zone.charAt(0) == '-' ? -1 : 1;
    boolean minutes = digits.length() > 2;
    int split = minutes ? digits.length() - 2 : digits.length();
    return ZoneOffset.ofHoursMinutes(
        sign * Integer.parseInt(digits.substring(0, split)),
        minutes ? sign * Integer.parseInt(digits.substring(split)) : 0);
  }
}
