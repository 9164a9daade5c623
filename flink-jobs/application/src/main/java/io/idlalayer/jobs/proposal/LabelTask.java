package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The task of a model: to predict one of the label's classes, or its number.
 *
 * @param task classes or a number
 * @param classes the classes in order; empty for a number
 * @param values the label of each row as a number, the index of its class for classes; NaN where it
 *     is missing
 * @param note the reason for the task
 */
record LabelTask(Task task, List<String> classes, double[] values, String note) {
  /** Largest number of different whole numbers that are treated as classes. */
  private static final int NUMBERED_CLASSES_MAX = 30;

  private static final int CLASSES_MAX = 1_000;

  /** Texts that often stand for a missing label. */
  private static final Set<String> MISSING =
      Set.of("?", "-", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None");

  /** Names of numbers whose size means something, however few there are. */
  private static final Set<String> SIZES =
      Set.of("rating", "ratings", "score", "stars", "count", "price", "amount", "quantity", "age");

  /**
   * Judges the task of a label.
   *
   * @param said the task that the user gave; null to judge it
   * @throws NoProposalException if the label is neither a class nor a number
   */
  static LabelTask of(FieldProfile label, @Nullable Task said) throws NoProposalException {
    boolean numbers = label.isNumeric() && !label.isFlags();
    boolean sizes = SIZES.contains(label.plainName());
    boolean few = label.distinct() <= NUMBERED_CLASSES_MAX && label.rowsOfValue() >= 5;
    boolean regression =
        said == null ? numbers && (sizes || !isWhole(label) || !few) : said == Task.REGRESSION;
    if (regression && !label.isNumeric()) {
      throw new NoProposalException(
          "the label %s is no number in all events (%s): --task classification makes classes of its texts"
              .formatted(Shown.of(label.name()), commonest(label)));
    }
    if (regression) {
      String why =
          said != null
              ? "as --task says"
              : sizes ? "because of its name" : "because it has many numbers";
      return new LabelTask(
          Task.REGRESSION,
          List.of(),
          label.numbers(),
          String.format(
              Locale.ROOT,
              "a number from %s to %s, %s; --task classification makes classes of it",
              Numbers.shown(label.least()),
              Numbers.shown(label.most()),
              why));
    }
    if (label.distinct() > CLASSES_MAX) {
      throw new NoProposalException(
          String.format(
              Locale.ROOT,
              "the label %s has %,d different values (%s): classes are %,d at most; is another field"
                  + " the label (--label NAME)?",
              Shown.of(label.name()),
              label.distinct(),
              commonest(label),
              CLASSES_MAX));
    }
    return classes(label);
  }

  private static String commonest(FieldProfile label) {
    return label.commonest(3).stream().map(Shown::of).collect(Collectors.joining(", "));
  }

  /** Returns whether the label has whole numbers only, or texts of digits too long for numbers. */
  private static boolean isWhole(FieldProfile label) {
    return label.isWhole() || label.isWholeByValue();
  }

  private static LabelTask classes(FieldProfile label) {
    boolean whole = label.isWholeByValue() && !label.isFlags() && label.marks().isEmpty();
    boolean flags = label.isFlags() && label.marks().isEmpty();
    List<String> classes = whole ? numbered(label) : flags ? truths(label) : texts(label);
    Map<String, Integer> places = new TreeMap<>();
    for (int i = 0; i < classes.size(); i++) {
      places.put(classes.get(i), i);
    }
    double[] values = new double[label.rows()];
    for (int i = 0; i < values.length; i++) {
      String value = label.values()[i];
      double number = label.numbers()[i];
      Integer place =
          value == null
              ? null
              : whole ? places.get(Numbers.whole(number)) : places.get(value.strip());
      values[i] = flags && value != null ? number : place == null ? Double.NaN : place;
    }
    return new LabelTask(Task.CLASSIFICATION, classes, values, note(classes, whole));
  }

  private static String note(List<String> classes, boolean whole) {
    if (whole) {
      return classes.size() > 2
          ? "whole numbers of few values are classes; --task regression predicts the number"
          : "";
    }
    Map<String, String> small = new TreeMap<>();
    for (String each : classes) {
      if (MISSING.contains(each)) {
        return "%s is a class here; if it stands for a missing label, leave it out of the classes"
            .formatted(Shown.of(each));
      }
      String before = small.put(each.toLowerCase(Locale.ROOT), each);
      if (before != null) {
        return "%s and %s differ in capital letters only, and each is a class of its own: write labels alike if they mean the same"
            .formatted(Shown.of(before), Shown.of(each));
      }
    }
    return "";
  }

  /**
   * Returns the words for false and true: those of the events if they have one for each, since all
   * such words mean one of two classes.
   */
  private static List<String> truths(FieldProfile label) {
    List<String> words = texts(label);
    return words.size() == 2 && words.get(0).equalsIgnoreCase("false")
        ? words
        : List.of("false", "true");
  }

  /** Returns the texts in alphabetical order. A label means a class with or without spaces. */
  private static List<String> texts(FieldProfile label) {
    return label.counts().keySet().stream()
        .map(String::strip)
        .filter(each -> !each.isEmpty())
        .distinct()
        .sorted()
        .toList();
  }

  /**
   * Returns whole numbers in order, including missing numbers between them if only a few are
   * missing.
   */
  private static List<String> numbered(FieldProfile label) {
    long least = (long) label.least();
    long most = (long) label.most();
    double[] distinct =
        Arrays.stream(label.numbers())
            .filter(it -> !Double.isNaN(it))
            // Minus zero is 0 too.
            .map(it -> it + 0.0)
            .distinct()
            .sorted()
            .toArray();
    boolean dense = most - least + 1 <= 2L * distinct.length && most - least < CLASSES_MAX;
    if (dense && distinct.length > 2) {
      return LongStream.rangeClosed(least, most).mapToObj(Long::toString).toList();
    }
    return Arrays.stream(distinct).mapToObj(Numbers::whole).toList();
  }

  /** Returns whether the label is a number, or one of several classes that are whole numbers. */
  boolean numbered() {
    return task == Task.REGRESSION
        || (classes.size() > 2 && classes.stream().allMatch(it -> it.matches("-?[0-9]+")));
  }

  /** Returns the share of the rarest class among rows with a label. */
  double rarestShare() {
    double[] counts = new double[Math.max(1, classes.size())];
    double all = 0;
    for (double each : values) {
      if (!Double.isNaN(each)) {
        counts[(int) each]++;
        all++;
      }
    }
    double rarest = Double.POSITIVE_INFINITY;
    for (double each : counts) {
      rarest = each > 0 ? Math.min(rarest, each) : rarest;
    }
    return all == 0 ? 0 : rarest / all;
  }

  /**
   * Returns the number with which features are compared: the label's number or, for classes, 1 for
   * the commonest class and 0 for others.
   */
  double[] target() {
    if (task == Task.REGRESSION) {
      return values;
    }
    double[] counts = new double[classes.size()];
    for (double each : values) {
      if (!Double.isNaN(each)) {
        counts[(int) each]++;
      }
    }
    int commonest = 0;
    for (int i = 1; i < counts.length; i++) {
      commonest = counts[i] > counts[commonest] ? i : commonest;
    }
    double[] target = new double[values.length];
    for (int i = 0; i < target.length; i++) {
      target[i] = Double.isNaN(values[i]) ? Double.NaN : values[i] == commonest ? 1 : 0;
    }
    return target;
  }
}
