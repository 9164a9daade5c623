package io.idlalayer.middleware.sample.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.YearMonth;
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
 * <p>A time without a zone is in UTC. 24:00 is the end of the day. The leap second 23:59:60 in UTC
 * counts as the first second of the next day, as in epoch seconds. A date in which day and month
 * cannot be distinguished, such as 03/05/2024, is refused. The reasons of refusals are written for
 * users and do not come from the JDK.
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

  /**
   * A date of eight digits and a time of six digits. As epoch numbers, they would not be in this
   * century.
   */
  private static final Pattern DIGITS =
      Pattern.compile("((?:19|20)\\d{2})(\\d{2})(\\d{2})(?:(\\d{2})(\\d{2})(\\d{2}))?");

  private static final Pattern EITHER_WAY =
      Pattern.compile("\\d{1,2}[/-]\\d{1,2}[/-]\\d{2,4}(?!\\d).*", Pattern.DOTALL);
  private static final BigDecimal BILLION = BigDecimal.valueOf(1_000_000_000L);

  /**
   * Epoch seconds of the year 2500; a larger number is in milliseconds, microseconds or
   * nanoseconds.
   */
  private static final BigDecimal LAST_SECOND = BigDecimal.valueOf(16_725_225_600L);

  /** A date whose year has a sign or does not have four digits. */
  private static final Pattern OTHER_YEAR =
      Pattern.compile(
          "(?:[-+\u2212]\\d+|\\d{5,})[-/]\\d{1,2}[-/]\\d{1,2}(?!\\d).*"
              + "|\\d{1,2}\\.\\d{1,2}\\.(?!\\d{4}(?!\\d))\\d+.*",
          Pattern.DOTALL);

  private static final Pattern TIME_ALONE =
      Pattern.compile("\\d{1,2}:\\d{2}(?::\\d{2})?(?!\\d).*", Pattern.DOTALL);

  private static final int LENGTH_MAX = 100;
  private static final int WHOLE_DIGITS_MAX = 30;
  private static final int NANOS_DIGITS = 9;
  private static final int LEAP_SECOND = 60;
  private static final int OFFSET_MINUTES_MAX = 18 * 60;

  /** Milliseconds, microseconds and nanoseconds. */
  private static final int PARTS_OF_SECONDS = 3;

  private static final String NO_FORM =
      "it has none of the forms that are read, such as 2024-03-05T10:00:00Z and epoch seconds";
  private static final String BEYOND =
      "as a number of nanoseconds it is not in the years 1677 to 2262";

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
    } catch (DateTimeException no) {
      return false;
    }
  }

  /**
   * Returns whether a text is a date whose day and month cannot be told apart, such as 05/03/2024;
   * it is refused as a time.
   */
  public static boolean isEitherWay(String text) {
    return EITHER_WAY.matcher(text.strip()).matches();
  }

  /**
   * Returns the epoch nanoseconds of a time.
   *
   * @throws DateTimeException if the text is not a time, or is a time before 1677 or after 2262;
   *     the message has the reason
   */
  public static long nanos(String text) {
    Instant instant = read(text).toInstant();
    try {
      return Math.addExact(
          Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    } catch (ArithmeticException far) {
      throw new DateTimeException(BEYOND, far);
    }
  }

  /**
   * Returns a time with the offset in its text; UTC if there is none.
   *
   * @throws DateTimeException with the reason, if the text is not a time
   */
  public static OffsetDateTime read(String text) {
    String trimmed = text.strip();
    if (trimmed.isEmpty()) {
      throw new DateTimeException("it is empty");
    }
    if (trimmed.length() > LENGTH_MAX) {
      throw refused("it has %d characters, and at most %d are read", trimmed.length(), LENGTH_MAX);
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
    if (isEitherWay(trimmed)) {
      throw new DateTimeException("day and month cannot be told apart; write year-month-day");
    }
    if (OTHER_YEAR.matcher(trimmed).matches()) {
      throw new DateTimeException("a year has four digits and no sign, 0000 to 9999");
    }
    if (TIME_ALONE.matcher(trimmed).matches()) {
      throw new DateTimeException("it is a time of day without a date");
    }
    throw new DateTimeException(NO_FORM);
  }

  private static DateTimeException refused(String format, Object... values) {
    return new DateTimeException(String.format(Locale.ROOT, format, values));
  }

  private static OffsetDateTime ofNumber(String text) {
    BigDecimal value = decimal(text);
    // Programs often write a column of dates with gaps as fractions: 20240305.0.
    long count = wholeDigits(value);
    boolean whole = (count == 8 || count == 14) && value.stripTrailingZeros().scale() <= 0;
    String plain = whole ? value.toBigInteger().toString() : text;
    Matcher digits = DIGITS.matcher(plain);
    if (!digits.matches()) {
      return epoch(value);
    }
    try {
      LocalDate date = date(digits.group(1), Integer.parseInt(digits.group(2)), digits.group(3));
      LocalTime time =
          digits.group(4) == null
              ? LocalTime.MIDNIGHT
              : time(number(digits, 4), number(digits, 5), number(digits, 6), 0);
      return date.atTime(time).atOffset(ZoneOffset.UTC);
    } catch (DateTimeException noDate) {
      // As an epoch number it would be a second of 1970. It is more likely a mistyped date.
      throw new DateTimeException(
          String.format(
              Locale.ROOT,
              "%d digits that begin with 19 or 20 are a date: %s",
              plain.length(),
              noDate.getMessage()),
          noDate);
    }
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

  private static LocalDate date(String yearDigits, int month, String dayDigits) {
    int year = Integer.parseInt(yearDigits);
    int day = Integer.parseInt(dayDigits);
    check("month", month, 1, 12);
    int days = YearMonth.of(year, month).lengthOfMonth();
    if (day < 1 || day > days) {
      throw refused("day %d is not 1 to %d, the days of %04d-%02d", day, days, year, month);
    }
    return LocalDate.of(year, month, day);
  }

  private static LocalTime time(int hour, int minute, int second, int nanos) {
    if (hour == 24) {
      throw new DateTimeException("hour 24 is read as 24:00 only, the end of the day");
    }
    check("hour", hour, 0, 23);
    check("minute", minute, 0, 59);
    check("second", second, 0, 59);
    return LocalTime.of(hour, minute, second, nanos);
  }

  private static void check(String part, int value, int least, int most) {
    if (value < least || value > most) {
      throw refused("%s %d is not %d to %d", part, value, least, most);
    }
  }

  /**
   * Returns the time of an epoch number in UTC; its size says whether it counts seconds or parts of
   * them.
   *
   * @throws DateTimeException if it is before 1677 or after 2262
   */
  public static OffsetDateTime epoch(BigDecimal number) {
    if (wholeDigits(number) > WHOLE_DIGITS_MAX) {
      throw new DateTimeException(BEYOND);
    }
    BigDecimal value = number;
    for (int i = 0; i < PARTS_OF_SECONDS && value.abs().compareTo(LAST_SECOND) > 0; i++) {
      value = value.movePointLeft(3);
    }
    long nanos = seconds(value);
    return Instant.ofEpochSecond(
            Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L))
        .atOffset(ZoneOffset.UTC);
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
   * @throws DateTimeException if it is before 1677 or after 2262
   */
  public static long seconds(BigDecimal value) {
    long wholeDigits = wholeDigits(value);
    // With an exponent, the number could have very many digits before or after its point.
    if (wholeDigits > WHOLE_DIGITS_MAX) {
      throw new DateTimeException(BEYOND);
    }
    if (value.signum() == 0 || wholeDigits < -NANOS_DIGITS) {
      return 0;
    }
    try {
      return value.multiply(BILLION).setScale(0, RoundingMode.HALF_EVEN).longValueExact();
    } catch (ArithmeticException far) {
      throw new DateTimeException(BEYOND, far);
    }
  }

  /**
   * Returns the number of digits before the point; a negative result is the number of zeros after
   * the point.
   */
  private static long wholeDigits(BigDecimal value) {
    return value.signum() == 0 ? 0 : (long) value.precision() - value.scale();
  }

  private static OffsetDateTime time(Matcher found, boolean named) {
    int month =
        named
            ? 1 + MONTHS.indexOf(found.group("name").substring(0, 3).toLowerCase(Locale.ROOT))
            : Integer.parseInt(found.group("mo"));
    LocalDate date = date(found.group("y"), month, found.group("d"));
    if (found.group("h") == null) {
      return zoned(date.atStartOfDay(), found);
    }
    int seconds = found.group("s") == null ? 0 : Integer.parseInt(found.group("s"));
    if (seconds != LEAP_SECOND) {
      return zoned(timeOfDay(found, date, seconds), found);
    }
    OffsetDateTime before = zoned(timeOfDay(found, date, LEAP_SECOND - 1), found);
    LocalTime inUtc = before.withOffsetSameInstant(ZoneOffset.UTC).toLocalTime();
    if (inUtc.getHour() != 23 || inUtc.getMinute() != 59) {
      throw new DateTimeException(
          "second 60 is not 0 to 59; it is a leap second at 23:59:60 in UTC only");
    }
    return before.plusSeconds(1);
  }

  private static OffsetDateTime zoned(LocalDateTime local, Matcher found) {
    String zone = found.group("zone");
    String region = found.group("region");
    if (zone != null) {
      return local.atOffset(offset(zone));
    }
    return region == null
        ? local.atOffset(ZoneOffset.UTC)
        : local.atZone(zone(region)).toOffsetDateTime();
  }

  private static ZoneId zone(String region) {
    try {
      return ZoneId.of(region);
    } catch (DateTimeException unknown) {
      throw new DateTimeException(
          "zone " + Shown.of(region) + " is not known; one is written like Europe/Berlin", unknown);
    }
  }

  private static LocalDateTime timeOfDay(Matcher found, LocalDate date, int seconds) {
    int minutes = Integer.parseInt(found.group("m"));
    int nanos = nanosOf(found.group("f"));
    int hours = hours(Integer.parseInt(found.group("h")), found.group("half"));
    if (hours == 24 && minutes == 0 && seconds == 0 && nanos == 0) {
      return date.plusDays(1).atStartOfDay();
    }
    return date.atTime(time(hours, minutes, seconds, nanos));
  }

  private static int hours(int written, @Nullable String half) {
    if (half == null) {
      return written;
    }
    if (written < 1 || written > 12) {
      throw refused("hour %d is not 1 to 12, as before AM and PM", written);
    }
    return written % 12 + (half.equalsIgnoreCase("p") ? 12 : 0);
  }

  /** Returns the nanoseconds of a fraction; digits below a nanosecond are dropped. */
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
    int hoursAway = Integer.parseInt(digits.substring(0, split));
    int minutesAway = minutes ? Integer.parseInt(digits.substring(split)) : 0;
    check("minute of the offset", minutesAway, 0, 59);
    if (hoursAway * 60 + minutesAway > OFFSET_MINUTES_MAX) {
      throw refused(
          "offset %s%d:%02d is not -18:00 to +18:00", sign < 0 ? "-" : "+", hoursAway, minutesAway);
    }
    return ZoneOffset.ofHoursMinutes(sign * hoursAway, sign * minutesAway);
  }
}
