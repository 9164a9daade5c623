package io.idlalayer.jobs.replay.page;

import java.util.Locale;

/** Durations in words. */
final class Times {
  private static final double MINUTE = 60;
  private static final double HOUR = 3_600;
  private static final double DAY = 86_400;

  private Times() {}

  /** Returns a duration with about three digits, in the most readable unit. */
  static String text(double seconds) {
    if (seconds < 1) {
      return number(seconds * 1_000) + " ms";
    }
    if (seconds >= HOUR && seconds < DAY && seconds % HOUR == 0) {
      return number(seconds / HOUR) + " h";
    }
    if (seconds < 2 * MINUTE && (seconds < MINUTE || seconds % MINUTE != 0)) {
      return number(seconds) + " s";
    }
    if (seconds < 2 * HOUR) {
      return number(seconds / MINUTE) + " min";
    }
    return seconds < 3 * DAY ? number(seconds / HOUR) + " h" : number(seconds / DAY) + " days";
  }

  private static String number(double value) {
    String text =
        value >= 100
            ? String.format(Locale.ROOT, "%,.0f", value)
            : String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
    return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
  }
}
