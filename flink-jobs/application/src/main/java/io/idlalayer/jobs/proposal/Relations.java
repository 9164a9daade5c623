package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Measures how a field is related to the label, in the events that were looked at. */
final class Relations {
  private static final int ROWS_MIN = 100;
  private static final double NEARLY_ALL = 0.999;
  private static final double LINEAR = 0.99999;

  /**
   * Least number of rows with a label other than the commonest one and with a value that came
   * several times.
   */
  private static final int RARER_MIN = 20;

  private static final int BINS = 24;
  private static final double PRIOR_ROWS = 5;

  private final LabelTask label;
  private final @Nullable String[] labelTexts;
  private final double[] target;

  /** The label as a number: the label itself, or for classes whether it is the commonest class. */
  private final double[] size;

  Relations(LabelTask label, @Nullable String[] labelTexts) {
    this.label = label;
    this.labelTexts = labelTexts;
    target = label.target();
    size = label.numbered() ? label.values() : target;
  }

  /** Returns why a field reveals the label, as the end of a sentence; "" if it does not. */
  String leak(FieldProfile field) {
    int both = 0;
    int equal = 0;
    for (int i = 0; i < target.length; i++) {
      String value = field.values()[i];
      if (value != null && labelTexts[i] != null) {
        both++;
        boolean same =
            value.equals(labelTexts[i])
                || (label.task() == Task.REGRESSION && field.numbers()[i] == label.values()[i]);
        equal += same ? 1 : 0;
      }
    }
    if (both < ROWS_MIN) {
      return "";
    }
    if (equal >= NEARLY_ALL * both) {
      return "equals the label";
    }
    if (label.task() == Task.REGRESSION) {
      return field.isNumeric() && correlates(field) ? "is the label times a factor" : "";
    }
    if (valuesDecide(field)) {
      return "has values of which each comes with one label only";
    }
    return field.isNumeric() && orderDecides(field) ? "separates the labels by its size alone" : "";
  }

  private boolean correlates(FieldProfile field) {
    double n = 0;
    double sx = 0;
    double sy = 0;
    double sxx = 0;
    double syy = 0;
    double sxy = 0;
    double x0 = Double.NaN;
    double y0 = Double.NaN;
    for (int i = 0; i < target.length; i++) {
      double x = field.numbers()[i];
      double y = label.values()[i];
      if (Double.isNaN(x) || Double.isNaN(y)) {
        continue;
      }
      x0 = n == 0 ? x : x0;
      y0 = n == 0 ? y : y0;
      n++;
      sx += x - x0;
      sy += y - y0;
      sxx += (x - x0) * (x - x0);
      syy += (y - y0) * (y - y0);
      sxy += (x - x0) * (y - y0);
    }
    double vx = sxx - sx * sx / n;
    double vy = syy - sy * sy / n;
    return n >= ROWS_MIN
        && vx > 0
        && vy > 0
        && Math.abs(sxy - sx * sy / n) / Math.sqrt(vx * vy) > LINEAR;
  }

  /** The labels of the rows with one value. */
  private static final class Group {
    int rows;
    int rarer;
    double only;
    boolean pure = true;
  }

  private boolean valuesDecide(FieldProfile field) {
    Map<String, Group> groups = new HashMap<>();
    for (int i = 0; i < target.length; i++) {
      String value = field.values()[i];
      double y = label.values()[i];
      if (value == null || Double.isNaN(y)) {
        continue;
      }
      Group group = groups.computeIfAbsent(value, any -> new Group());
      if (group.rows == 0) {
        group.only = y;
      }
      group.pure &= group.only == y;
      group.rows++;
      group.rarer += target[i] == 1 ? 0 : 1;
    }
    int rarer = 0;
    for (Group group : groups.values()) {
      if (!group.pure) {
        return false;
      }
      rarer += group.rows > 1 ? group.rarer : 0;
    }
    return groups.size() <= field.present() / 4 && rarer >= RARER_MIN;
  }

  /** Returns whether the sorted numbers of a field separate the classes completely. */
  private boolean orderDecides(FieldProfile field) {
    List<Integer> order = rows(field);
    if (order.size() < ROWS_MIN) {
      return false;
    }
    order.sort(
        Comparator.<Integer>comparingDouble(i -> field.numbers()[i])
            .thenComparingDouble(i -> label.values()[i]));
    int changes = 0;
    int rarer = 0;
    for (int i = 0; i < order.size(); i++) {
      rarer += target[order.get(i)] == 1 ? 0 : 1;
      if (i > 0 && label.values()[order.get(i)] != label.values()[order.get(i - 1)]) {
        changes++;
        if (field.numbers()[order.get(i)] == field.numbers()[order.get(i - 1)]) {
          return false;
        }
      }
    }
    return rarer >= RARER_MIN && changes <= label.classes().size() - 1;
  }

  private List<Integer> rows(FieldProfile field) {
    List<Integer> rows = new ArrayList<>();
    for (int i = 0; i < target.length; i++) {
      if (!Double.isNaN(field.numbers()[i]) && !Double.isNaN(target[i])) {
        rows.add(i);
      }
    }
    return rows;
  }

  /**
   * Returns how much more of the label's variance the number explains as a code than as a size. The
   * result is large for codes, whose size means nothing. Each row is predicted from the other rows.
   */
  double explainedByValue(FieldProfile field) {
    List<Integer> rows = rows(field);
    if (rows.size() < ROWS_MIN) {
      return 0;
    }
    double mean = rows.stream().mapToDouble(i -> size[i]).average().orElse(0);
    double total = 0;
    for (int i : rows) {
      total += (size[i] - mean) * (size[i] - mean);
    }
    if (total == 0) {
      return 0;
    }
    List<Double> sorted = rows.stream().map(i -> field.numbers()[i]).sorted().toList();
    double[] edges = new double[BINS - 1];
    for (int i = 0; i < edges.length; i++) {
      edges[i] = sorted.get((int) ((i + 1L) * sorted.size() / BINS));
    }
    double byValue = error(rows, i -> field.numbers()[i], mean);
    double bySize =
        error(
            rows,
            i -> {
              int at = Arrays.binarySearch(edges, field.numbers()[i]);
              return at < 0 ? -at - 1 : at + 0.5;
            },
            mean);
    return (bySize - byValue) / total;
  }

  private double error(
      List<Integer> rows, java.util.function.IntToDoubleFunction key, double mean) {
    Map<Double, double[]> sums = new HashMap<>();
    for (int i : rows) {
      double[] sum = sums.computeIfAbsent(key.applyAsDouble(i), any -> new double[2]);
      sum[0] += size[i];
      sum[1]++;
    }
    double error = 0;
    for (int i : rows) {
      double[] sum = Objects.requireNonNull(sums.get(key.applyAsDouble(i)));
      double others = (sum[0] - size[i] + PRIOR_ROWS * mean) / (sum[1] - 1 + PRIOR_ROWS);
      error += (size[i] - others) * (size[i] - others);
    }
    return error;
  }
}
