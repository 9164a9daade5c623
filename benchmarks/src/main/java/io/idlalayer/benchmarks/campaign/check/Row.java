package io.idlalayer.benchmarks.campaign.check;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One row of the campaign's stream: {@code number,x1,x2,label}. The number tells rows apart and is
 * no feature. A row without a label waits for none; one whose feature is not a number is malformed.
 */
public record Row(String number, String content, Kind kind) {
  private static final int SHOPS = 4_000;

  /** What becomes of a row if its content is new. */
  public enum Kind {
    LABELLED,
    UNLABELLED,
    MALFORMED
  }

  /** Reads a row as the application file describes it. */
  public static Row of(String line) {
    String[] fields = line.split(",", -1);
    String content =
        fields.length < 2
            ? line
            : String.join(",", Arrays.asList(fields).subList(1, fields.length));
    return new Row(fields[0], content, kind(fields));
  }

  /** The numbers of rows, in their order. */
  public static List<String> numbers(List<String> rows) {
    return rows.stream().map(row -> of(row).number()).toList();
  }

  private static Kind kind(String[] fields) {
    if (fields.length != 4 || !number(fields[1]) || !number(fields[2])) {
      return Kind.MALFORMED;
    }
    return switch (fields[3]) {
      case "" -> Kind.UNLABELLED;
      case "0", "1" -> Kind.LABELLED;
      default -> Kind.MALFORMED;
    };
  }

  private static boolean number(String text) {
    try {
      return Float.isFinite(Float.parseFloat(text));
    } catch (NumberFormatException none) {
      return false;
    }
  }

  /**
   * Returns the rows with the number of a shop instead of x2: a few shops are frequent, most are
   * rare. Equal x2 give equal shops.
   */
  public static List<String> withIds(List<String> rows) {
    return rows.stream()
        .map(
            row -> {
              String[] fields = row.split(",", -1);
              double share = (Double.parseDouble(fields[2]) + 1) / 2;
              fields[2] = Long.toString((long) (SHOPS * share * share));
              return String.join(",", fields);
            })
        .toList();
  }

  /**
   * A stream that can be learned: the label is 1 where x1 + x2 is above 0.
   *
   * @param first number of the first row
   * @param mixed whether some rows are repeated, malformed or without a label
   */
  public static List<String> stream(long seed, long first, int count, boolean mixed) {
    SplittableRandom random = new SplittableRandom(seed);
    Set<String> used = new HashSet<>();
    String[] lines = new String[count];
    for (int i = 0; i < count; i++) {
      long number = first + i;
      int draw = mixed ? random.nextInt(100) : 99;
      double x1 = random.nextDouble(-1, 1);
      double x2 = random.nextDouble(-1, 1);
      // Numbers of their own make contents of different rows differ.
      String features = String.format(Locale.ROOT, "%.9f,%.9f", x1, x2);
      if (!used.add(features)) {
        features = String.format(Locale.ROOT, "%.9f,%.4f%05d", x1, x2, i);
      }
      String label = x1 + x2 > 0 ? "1" : "0";
      if (draw < 3) {
        lines[i] = number + ",none,0.5," + label;
      } else if (draw < 6) {
        lines[i] = number + "," + features + ",";
      } else if (draw < 14 && i > 0) {
        String earlier = lines[random.nextInt(i)];
        // Only labelled rows come again: what a repeated row without label is, is not said here.
        lines[i] =
            Row.of(earlier).kind() == Kind.LABELLED
                ? number + earlier.substring(earlier.indexOf(','))
                : number + "," + features + "," + label;
      } else {
        lines[i] = number + "," + features + "," + label;
      }
    }
    return List.of(lines);
  }
}
