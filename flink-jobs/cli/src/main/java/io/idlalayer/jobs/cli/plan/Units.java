package io.idlalayer.jobs.cli.plan;

import io.idlalayer.middleware.sample.text.NumberNotation;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes quantities with units. Units are written exactly as here: {@code GB} is a
 * thousand million bytes, {@code GiB} 2^30, and {@code Gb} is refused.
 */
final class Units {
  private static final Pattern QUANTITY = Pattern.compile("([0-9.eE+-]+) ?([A-Za-zµ/%]+)");

  private static final Map<String, Double> BYTES = new LinkedHashMap<>();
  private static final Map<String, Double> SECONDS =
      Map.of("ns", 1e-9, "us", 1e-6, "µs", 1e-6, "ms", 1e-3, "s", 1.0);

  static {
    BYTES.put("B", 1.0);
    String[] letters = {"K", "M", "G", "T"};
    for (int i = 0; i < letters.length; i++) {
      BYTES.put(letters[i] + "iB", Math.pow(1024, i + 1));
      BYTES.put(letters[i] + "B", Math.pow(1000, i + 1));
    }
    BYTES.put("kB", 1e3);
  }

  /** Most bytes that a budget may have: a pebibyte. */
  private static final double MOST_BYTES = Math.pow(1024, 5);

  /** Most bytes a second that a device may have. */
  private static final double MOST_RATE = 1e15;

  private static final double LONGEST_LATENCY_SECONDS = 100;

  /** Bytes of a gibibyte, for which prices are given. */
  static final double GIB = 1L << 30;

  private Units() {}

  /**
   * Reads a number of bytes.
   *
   * @throws IllegalArgumentException that says what is wrong
   */
  static long bytes(String text) {
    double bytes = quantity(text, BYTES, "a size such as 512MiB, 4GiB or 4GB");
    checkAbove0(text, bytes);
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException("'%s' is more than 1024 TiB".formatted(text));
    }
    if (bytes < 1) {
      throw new IllegalArgumentException("'%s' is less than a byte".formatted(text));
    }
    return (long) bytes;
  }

  /** Reads a number of bytes per second. */
  static double bytesPerSecond(String text) {
    String wanted = "a speed such as 2GB/s or 500MiB/s";
    if (!text.endsWith("/s")) {
      throw new IllegalArgumentException("'%s' is not %s".formatted(text, wanted));
    }
    double rate = quantity(text.substring(0, text.length() - 2), BYTES, wanted);
    checkAbove0(text, rate);
    if (rate > MOST_RATE) {
      throw new IllegalArgumentException("'%s' is more than any device has".formatted(text));
    }
    return rate;
  }

  /** Reads a latency and returns its nanoseconds, which may be 0. */
  static long latencyNanos(String text) {
    double seconds = quantity(text, SECONDS, "a time such as 300ns, 80us or 4ms");
    if (!(seconds >= 0 && seconds <= LONGEST_LATENCY_SECONDS)) {
      throw new IllegalArgumentException("'%s' must be between 0s and 100s".formatted(text));
    }
    return Math.round(seconds * 1e9);
  }

  /** Reads a percentage above 0 and returns it as a share. */
  static double share(String text) {
    double percent = quantity(text, Map.of("%", 1.0), "a percentage such as 10%");
    if (!(percent > 0 && percent <= 10_000)) {
      throw new IllegalArgumentException(
          "'%s' must be above 0%% and at most 10000%%".formatted(text));
    }
    return percent / 100;
  }

  /** Reads a price, which may be 0. */
  static double price(String text) {
    double price = NumberNotation.PLAIN.read(text);
    if (!(price >= 0 && price <= 1e9)) {
      throw new IllegalArgumentException(
          "'%s' is not a price of a GiB for a month: a number from 0".formatted(text));
    }
    return price;
  }

  private static double quantity(String text, Map<String, Double> units, String wanted) {
    Matcher matcher = QUANTITY.matcher(text.strip());
    double number = matcher.matches() ? NumberNotation.PLAIN.read(matcher.group(1)) : Double.NaN;
    Double unit = matcher.matches() ? units.get(matcher.group(2)) : null;
    if (unit == null || Double.isNaN(number)) {
      throw new IllegalArgumentException("'%s' is not %s".formatted(text, wanted));
    }
    return number * unit;
  }

  private static void checkAbove0(String text, double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException("'%s' must be above 0".formatted(text));
    }
  }

  /** Returns a number of bytes as text with a binary unit. */
  static String size(long bytes) {
    String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double) bytes;
    int unit = 0;
    while (value >= 1024 && unit + 1 < units.length) {
      value /= 1024;
      unit++;
    }
    String format = unit == 0 ? "%.0f %s" : value < 10 ? "%.2f %s" : "%.1f %s";
    return String.format(Locale.ROOT, format, value, units[unit]);
  }

  /** Returns a number as text, with two places if it is small. */
  static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }

  /** Returns seconds as text with the unit that fits. */
  static String time(double seconds) {
    if (Double.isNaN(seconds)) {
      return "-";
    }
    if (seconds >= 100) {
      return String.format(Locale.ROOT, "%,.0f s", seconds);
    }
    if (seconds >= 1) {
      return String.format(Locale.ROOT, "%.2f s", seconds);
    }
    if (seconds >= 1e-3) {
      double millis = seconds * 1e3;
      return String.format(Locale.ROOT, millis < 10 ? "%.2f ms" : "%.1f ms", millis);
    }
    return String.format(Locale.ROOT, "%.1f us", seconds * 1e6);
  }
}
