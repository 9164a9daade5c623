package io.idlalayer.jobs.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations, sizes and ranges as people write them. */
final class Quantities {
  private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?) ?(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("(\\d+) ?(B|KiB|MiB|GiB|TiB)?");
  private static final Pattern RANGE = Pattern.compile("(\\D*)(\\d+)\\.\\.(\\D*)(\\d+)");
  private static final int RANGE_MAX = 100_000;

  private Quantities() {}

  static double seconds(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a duration such as 500ms, 30s, 2m or 1h");
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

  static long bytes(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size such as 4096, 64KiB, 1MiB or 2GiB");
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
      throw new IllegalArgumentException("'" + text + "' is more than any disk holds", tooLarge);
    }
  }

  /** {@code f1..f3} is f1, f2, f3; any other text is itself. */
  static List<String> range(String text) {
    Matcher matcher = RANGE.matcher(text);
    if (!matcher.matches() || !matcher.group(1).equals(matcher.group(3))) {
      return List.of(text);
    }
    int first = Integer.parseInt(matcher.group(2));
    int last = Integer.parseInt(matcher.group(4));
    List<String> names = new ArrayList<>();
    for (int i = first; i <= last && names.size() < RANGE_MAX; i++) {
      names.add(matcher.group(1) + i);
    }
    return names;
  }

  /** The known word at most two edits away, or "". */
  static String nearest(String word, Collection<String> known) {
    String nearest = "";
    int best = 3;
    for (String candidate : known) {
      int distance = edits(word, candidate);
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /** Levenshtein distance. */
  private static int edits(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int same = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(same, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
