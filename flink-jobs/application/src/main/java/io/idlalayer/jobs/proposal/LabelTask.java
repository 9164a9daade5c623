package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

  /** Names of numbers whose size means something, however few there are. */
  private static final Set<String> SIZES =
      Set.of("rating", "ratings", "score", "stars", "count", "price", "amount", "quantity", "age");

  /**
   * Judges the task of a label.
   *
   * @param said the task that the user gave; null to judge it
   * @throws NoProposalException if the label is neither a class nor a number
   */
  static LabelTask of(FieldProfile label, NumberNotation notation, @Nullable Task said)
      throws NoProposalException {
    boolean numbers = label.isNumeric() && !label.isFlags();
    boolean sizes = SIZES.contains(label.plainName());
    boolean few = label.distinct() <= NUMBERED_CLASSES_MAX && label.rowsOfValue() >= 5;
    boolean regression =
        said == null ? numbers && (sizes || !label.isWhole() || !few) : said == Task.REGRESSION;
    if (regression && !label.isNumeric()) {
      throw new NoProposalException(
          "the label %s is no number in all events (%s): --task classification makes classes of its texts"
              .formatted(Shown.of(label.name()), texts(label)));
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
              texts(label),
              CLASSES_MAX));
    }
    return classes(label, notation);
  }

  private static String texts(FieldProfile label) {
    return label.commonest(3).stream().map(Shown::of).collect(Collectors.joining(", "));
  }

  private static LabelTask classes(FieldProfile label, NumberNotation notation) {
    boolean whole = label.isWhole() && label.marks().isEmpty();
    List<String> classes = whole ? numbered(label) : new ArrayList<>(label.counts().keySet());
    if (!whole) {
      classes.sort(Comparator.naturalOrder());
    }
    Map<String, Integer> places = new TreeMap<>();
    for (int i = 0; i < classes.size(); i++) {
      places.put(classes.get(i), i);
    }
    double[] values = new double[label.rows()];
    for (int i = 0; i < values.length; i++) {
      String value = label.values()[i];
      Integer place =
          value == null ? null : places.get(whole ? Numbers.whole(notation.read(value)) : value);
      values[i] = place == null ? Double.NaN : place;
    }
    return new LabelTask(
        Task.CLASSIFICATION,
        classes,
        values,
        whole && classes.size() > 2
            ? "whole numbers of few values are classes; --task regression predicts the number"
            : "");
  }

  /**
   * Returns whole numbers in order, including missing numbers between them if only a few are
   * missing.
   */
  private static List<String> numbered(FieldProfile label) {
    long least = (long) label.least();
    long most = (long) label.most();
    boolean dense = most - least + 1 <= 2L * label.distinct() && most - least < CLASSES_MAX;
    if (dense && label.distinct() > 2) {
      return IntStream.rangeClosed((int) least, (int) most).mapToObj(Integer::toString).toList();
    }
    return java.util.Arrays.stream(label.numbers())
        .filter(it -> !Double.isNaN(it))
        .distinct()
        .sorted()
        .mapToObj(Numbers::whole)
        .toList();
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
