package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Timestamps;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A summary of the values of a field in the events that were read. Immutable. */
final class FieldProfile {
  private static final Pattern TIME_NAME =
      Pattern.compile("(?i).*(time|date|stamp|moment|epoch|created|updated|^ts$|^at$|_ts$|_at$).*");
  private static final Pattern WHOLE = Pattern.compile("\\s*[+-]?[0-9]+(\\.0+)?\\s*");

  /** Largest number of different texts that stand for a missing number in a column of numbers. */
  private static final int MARKS_MAX = 4;

  /**
   * Least share of numbers in a column of numbers; the rest are texts that stand for missing
   * numbers.
   */
  private static final double NUMBERS = 0.5;

  private static final double NEARLY_ALL = 0.99;
  private static final double SECONDS_MIN = 6e8;
  private static final double SECONDS_MAX = 4.2e9;
  private static final double SORTED = 0.98;
  private static final double EXACT_MAX = 1L << 53;

  private final String name;
  private final @Nullable String[] values;
  private final Map<String, Integer> counts = new LinkedHashMap<>();
  private final double[] numbers;
  private final Set<String> marks = new HashSet<>();
  private final Map<String, Integer> texts = new LinkedHashMap<>();
  private int present;
  private int numeric;
  private int whole;
  private int flags;
  private int integers;
  private double least = Double.POSITIVE_INFINITY;
  private double most = Double.NEGATIVE_INFINITY;
  private int rising;

  FieldProfile(String name, @Nullable String[] values, NumberNotation notation) {
    this.name = name;
    this.values = values;
    numbers = new double[values.length];
    double before = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < values.length; i++) {
      String value = values[i];
      numbers[i] = Double.NaN;
      if (value == null) {
        continue;
      }
      present++;
      counts.merge(value, 1, Integer::sum);
      double number = number(value, notation);
      if (Double.isFinite(number) && Math.abs(number) <= Float.MAX_VALUE) {
        numbers[i] = number;
        numeric++;
        whole += WHOLE.matcher(value).matches() ? 1 : 0;
        integers += number == Math.rint(number) ? 1 : 0;
        least = Math.min(least, number);
        most = Math.max(most, number);
        rising += number >= before ? 1 : 0;
        before = number;
      } else {
        texts.merge(value, 1, Integer::sum);
      }
    }
    if (texts.size() <= MARKS_MAX && numeric >= NUMBERS * present) {
      marks.addAll(texts.keySet());
    }
  }

  private double number(String value, NumberNotation notation) {
    double number = notation.read(value);
    if (!Double.isNaN(number)) {
      return number;
    }
    switch (value) {
      case "true", "True", "TRUE" -> {
        flags++;
        return 1;
      }
      case "false", "False", "FALSE" -> {
        flags++;
        return 0;
      }
      default -> {
        return Double.NaN;
      }
    }
  }

  String name() {
    return name;
  }

  /** Returns the values, null where the field is missing. */
  @Nullable String[] values() {
    return values;
  }

  /** Returns the values as numbers, NaN where there is none. */
  double[] numbers() {
    return numbers;
  }

  int rows() {
    return values.length;
  }

  int present() {
    return present;
  }

  /** Returns the share of events without a value, or with a text that stands for a missing one. */
  double missingShare() {
    return values.length == 0
        ? 0
        : (double) (values.length - (isNumeric() ? numeric : present)) / values.length;
  }

  /** Returns how many different values came. */
  int distinct() {
    return counts.size();
  }

  Map<String, Integer> counts() {
    return counts;
  }

  /** Returns whether the values are numbers, except a few texts that stand for missing numbers. */
  boolean isNumeric() {
    return numeric > 0 && (numeric == present || !marks.isEmpty());
  }

  /** Returns the texts that stand for missing numbers, in alphabetical order. */
  List<String> marks() {
    return marks.stream().sorted().toList();
  }

  /** Returns whether all numbers are whole, and none is a flag. */
  boolean isWhole() {
    return isNumeric() && whole == numeric && flags == 0;
  }

  /**
   * Returns whether all numbers are whole, however they are written (1, 1.0, 1e0, true), and so
   * small that 64 bits tell all of them apart.
   */
  boolean isWholeByValue() {
    return isNumeric()
        && integers == numeric
        && Math.max(Math.abs(least), Math.abs(most)) <= EXACT_MAX;
  }

  boolean isFlags() {
    return flags > 0 && flags == numeric && isNumeric();
  }

  double least() {
    return least;
  }

  double most() {
    return most;
  }

  /** Returns the mean number of rows that have the same value. */
  double rowsOfValue() {
    return counts.isEmpty() ? 0 : (double) present / counts.size();
  }

  /** Returns the values by their frequency, at most a few. */
  List<String> commonest(int most) {
    return counts.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
        .limit(most)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns whether the values are times: texts of their forms, or epochs. */
  boolean isTime() {
    if (present == 0) {
      return false;
    }
    if (isNumeric()) {
      return looksLikeEpochs() || isDatesInDigits();
    }
    int times = 0;
    int tried = 0;
    for (String value : counts.keySet()) {
      tried++;
      times += Timestamps.looksLikeOne(value) ? 1 : 0;
      if (tried >= 1_000 || (tried >= 20 && times == 0)) {
        break;
      }
    }
    return times >= NEARLY_ALL * tried;
  }

  /** Returns whether the values are dates such as 05/03/2024, whose day and month are not clear. */
  boolean isDateEitherWay() {
    return !isNumeric()
        && present > 0
        && counts.keySet().stream().limit(1_000).allMatch(Timestamps::isEitherWay);
  }

  private boolean looksLikeEpochs() {
    if (whole != numeric || numeric < present) {
      return false;
    }
    boolean range = false;
    for (double unit : new double[] {1, 1e3, 1e6, 1e9}) {
      range |= least >= SECONDS_MIN * unit && most <= SECONDS_MAX * unit;
    }
    return range
        && (TIME_NAME.matcher(name).matches() || (rising >= SORTED * numeric && distinct() > 1));
  }

  /**
   * Returns whether all numbers are dates of eight digits, and the name of the field is typical of
   * times.
   */
  private boolean isDatesInDigits() {
    return whole == numeric
        && least >= 19_000_101
        && most <= 21_001_231
        && TIME_NAME.matcher(name).matches()
        && counts.keySet().stream().limit(1_000).allMatch(Timestamps::looksLikeOne);
  }

  /** Returns the seconds from the first to the last time; 0 if there are no times. */
  double spanSeconds() {
    double first = Double.POSITIVE_INFINITY;
    double last = Double.NEGATIVE_INFINITY;
    for (String value : counts.keySet()) {
      try {
        double seconds = Timestamps.nanos(value) / 1e9;
        first = Math.min(first, seconds);
        last = Math.max(last, seconds);
      } catch (DateTimeException noTime) {
        // A few values can be no numbers; their events are refused.
      }
    }
    return Math.max(0, last - first);
  }

  /** Returns whether some of the times are not midnight. */
  boolean hasTimesOfDay() {
    return counts.keySet().stream()
        .limit(1_000)
        .anyMatch(
            value ->
                Timestamps.looksLikeOne(value)
                    && Timestamps.read(value).toLocalTime().toSecondOfDay() != 0);
  }

  /** Returns whether the numbers count the events: each number is the previous number plus one. */
  boolean countsEvents(int front) {
    if (!isWhole() || numeric < present || front < 3) {
      return false;
    }
    double step = numbers[1] - numbers[0];
    for (int i = 1; i < front; i++) {
      if (numbers[i] - numbers[i - 1] != step) {
        return false;
      }
    }
    return step == 1;
  }

  /** Returns whether later values are mostly new ones, which is typical of ids. */
  boolean grows() {
    Set<String> half = new HashSet<>();
    List<String> all = new ArrayList<>();
    for (String each : values) {
      if (each != null) {
        all.add(each);
      }
    }
    all.subList(0, all.size() / 2).forEach(half::add);
    return distinct() > 1.2 * half.size() && distinct() > 30;
  }

  /** Returns the name in small letters and digits only. */
  String plainName() {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]", "");
  }
}
