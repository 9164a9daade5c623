package io.idlalayer.jobs.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the durations, sizes and ranges of an application file, and writes sizes for messages. */
public final class Quantities {
  /** Regular expressions of durations and sizes. */
  static final String DURATIONS = "([0-9]+(?:\\.[0-9]+)?) ?(ms|s|m|h|d)";

  static final String SIZES = "([0-9]+) ?(B|KiB|MiB|GiB|TiB)?";
  private static final Pattern DURATION = Pattern.compile(DURATIONS);
  private static final Pattern SIZE = Pattern.compile(SIZES);
  private static final Pattern RANGE = Pattern.compile("(\\D*)(\\d+)\\.\\.(\\D*)(\\d+)");
  private static final int RANGE_MAX = 100_000;

  private Quantities() {}

  static double seconds(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("is not a duration such as 500ms, 30s, 2m or 1h");
    }
    double value = Double.parseDouble(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> value / 1000;
      case "m" -> value * 60;
      case "h" -> value * 3600;
      case "d" -> value * 86_400;
      default -> value;
    };
  }

  /**
   * Reads a size in bytes, such as {@code 64KiB}.
   *
   * @throws IllegalArgumentException if the text is no size; the message says what is wrong, as the
   *     rest of a sentence
   */
  public static long bytes(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("is not a size such as 4096, 64KiB, 1MiB or 2GiB");
    }
    String unit = matcher.group(2) == null ? "B" : matcher.group(2);
    int shift =
        switch (unit) {
          case "KiB" -> 10;
          case "MiB" -> 20;
          case "GiB" -> 30;
          case "TiB" -> 40;
          default -> 0;
        };
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
    } catch (ArithmeticException | NumberFormatException tooLarge) {
      throw new IllegalArgumentException("is more than any disk holds", tooLarge);
    }
  }

  private static long number(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException tooLarge) {
      throw new IllegalArgumentException("has a number above " + Integer.MAX_VALUE, tooLarge);
    }
  }

  /** Returns a number of bytes as text, in the largest unit that divides it. */
  static String size(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = 0;
    long value = bytes;
    while (value > 0 && value % 1024 == 0 && unit + 1 < units.length) {
      value /= 1024;
      unit++;
    }
    return value + units[unit];
  }

  /**
   * Expands a range: {@code f1..f3} gives f1, f2, f3, and {@code f08..f10} gives f08, f09, f10; any
   * other text gives itself.
   *
   * @throws IllegalArgumentException if a range counts down or has too many names
   */
  static List<String> range(String text) {
    Matcher matcher = RANGE.matcher(text);
    if (!matcher.matches() || !matcher.group(1).equals(matcher.group(3))) {
      return List.of(text);
    }
    long first = number(matcher.group(2));
    long last = number(matcher.group(4));
    if (last < first || last - first >= RANGE_MAX) {
      throw new IllegalArgumentException(
          "does not count up, or names more than " + RANGE_MAX + " things");
    }
    int digits = matcher.group(2).startsWith("0") ? matcher.group(2).length() : 1;
    List<String> names = new ArrayList<>();
    for (long i = first; i <= last; i++) {
      String number = Long.toString(i);
      names.add(matcher.group(1) + "0".repeat(Math.max(0, digits - number.length())) + number);
    }
    return names;
  }
}
