package io.idlalayer.middleware.cache.donation;

import io.idlalayer.middleware.cache.donation.DonationRow.TaskConditions;
import io.idlalayer.middleware.fuzzy.regression.TakagiSugenoModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Predicts the mean task time of one type of application from the donation and other conditions:
 * the performance model R of Rang 2021, chapter 4, as a Takagi-Sugeno model. In Rang 2021 the model
 * is {@code y = R(r, e_m, s, xi)}, with the donation s and the {@linkplain TaskConditions
 * conditions} r, e_m and xi. The donation is always an input. The conditions are inputs only if
 * they improve predictions of rows to which the model was not fitted (forward selection, after Chiu
 * 1996). An input without influence would spread the few rules over a dimension that does not
 * matter. Confined to one thread.
 */
final class TaskTimeModel {
  /**
   * Fewest rows to fit a model to; fewer, or rows with a single donation, say nothing about other
   * donations.
   */
  static final int ROWS_MIN = 8;

  private static final int INPUTS = 8;
  private static final int HELD_OUT = 4;
  private static final double WORTH = 0.95;
  private static final double BEYOND_MIB = 64;
  private static final int SETTLING_MAX = 16;
  private static final double SETTLED = 1e-6;
  private static final int MAX_RULES = 8;
  private static final int DONATIONS_PER_RULE = 2;
  private static final double FORGETTING = 0.98;

  private final Rules rules;
  private final int[] inputs;
  private final double lowMib;
  private final double highMib;
  private final double[] chosen;

  private TaskTimeModel(Rules rules, int[] inputs, double lowMib, double highMib) {
    this.rules = rules;
    this.inputs = inputs;
    this.lowMib = lowMib;
    this.highMib = highMib;
    chosen = new double[inputs.length];
  }

  /**
   * Fits a model to measured rows.
   *
   * @param rows rows of one job type
   * @return the model; empty with fewer than 8 rows or two different donations
   */
  public static Optional<TaskTimeModel> fit(List<DonationRow> rows) {
    double low = rows.stream().mapToDouble(DonationRow::donationMib).min().orElse(0);
    double high = rows.stream().mapToDouble(DonationRow::donationMib).max().orElse(0);
    if (rows.size() < ROWS_MIN || !(high > low)) {
      return Optional.empty();
    }
    double[][] x = new double[rows.size()][];
    double[] y = new double[rows.size()];
    for (int i = 0; i < y.length; i++) {
      x[i] = all(rows.get(i).donationMib(), rows.get(i).conditions());
      y[i] = rows.get(i).seconds();
    }
    int[] inputs = select(x, y);
    return fit(x, y, inputs).map(rules -> new TaskTimeModel(rules, inputs, low, high));
  }

  private static double[] all(double donationMib, TaskConditions at) {
    return new double[] {
      donationMib,
      at.memoryMib(),
      at.executors(),
      at.gcShare(),
      at.seconds1(),
      at.seconds2(),
      at.memoryMib1(),
      at.memoryMib2()
    };
  }

  /**
   * A linear model, and a Takagi-Sugeno model of its residuals. If the rows are not enough for
   * rules, for instance if only two different donations were seen, only the linear model is used.
   */
  private record Rules(TakagiSugenoModel line, TakagiSugenoModel bend) {
    double predict(double[] x) {
      return line.predict(x) + bend.predict(x);
    }

    void update(double[] x, double y) {
      bend.update(x, y - line.predict(x));
    }
  }

  private static Optional<Rules> fit(double[][] x, double[] y, int[] inputs) {
    double[][] columns = new double[x.length][];
    for (int i = 0; i < x.length; i++) {
      columns[i] = columns(x[i], inputs, new double[inputs.length]);
    }
    Optional<TakagiSugenoModel> line = fit(columns, y, Integer.MAX_VALUE);
    if (line.isEmpty()) {
      return Optional.empty();
    }
    double[] rest = new double[y.length];
    for (int i = 0; i < y.length; i++) {
      rest[i] = y[i] - line.get().predict(columns[i]);
    }
    return fit(columns, rest, 3 * (inputs.length + 1)).map(bend -> new Rules(line.get(), bend));
  }

  private static Optional<TakagiSugenoModel> fit(double[][] x, double[] y, int linearBelowRows) {
    long donations = Arrays.stream(x).mapToDouble(row -> row[0]).distinct().count();
    int most = (int) Math.max(1, Math.min(MAX_RULES, donations / DONATIONS_PER_RULE));
    return TakagiSugenoModel.fit(
        x, y, new TakagiSugenoModel.Settings(most, linearBelowRows, FORGETTING));
  }

  private static double[] columns(double[] row, int[] inputs, double[] into) {
    for (int j = 0; j < inputs.length; j++) {
      into[j] = row[inputs[j]];
    }
    return into;
  }

  /**
   * Chooses the inputs of the model: the donation, then the conditions that reduce the error on
   * held-out rows, the best first.
   */
  private static int[] select(double[][] x, double[] y) {
    List<Integer> open = new ArrayList<>();
    for (int j = 1; j < INPUTS; j++) {
      int column = j;
      if (Arrays.stream(x).anyMatch(row -> row[column] != x[0][column])) {
        open.add(j);
      }
    }
    int[] inputs = {0};
    double error = heldOutError(x, y, inputs);
    while (!open.isEmpty() && x.length >= HELD_OUT * (inputs.length + 2)) {
      int best = -1;
      double least = error * WORTH;
      for (int j : open) {
        double with = heldOutError(x, y, and(inputs, j));
        if (with < least) {
          least = with;
          best = j;
        }
      }
      if (best < 0) {
        break;
      }
      inputs = and(inputs, best);
      open.remove((Integer) best);
      error = least;
    }
    return inputs;
  }

  private static int[] and(int[] inputs, int more) {
    return IntStream.concat(Arrays.stream(inputs), IntStream.of(more)).toArray();
  }

  /**
   * Returns the sum of squared errors on every fourth row for a model that was fitted to the other
   * rows.
   */
  private static double heldOutError(double[][] x, double[] y, int[] inputs) {
    int[] seen = IntStream.range(0, y.length).filter(i -> i % HELD_OUT != 0).toArray();
    double[][] seenX = Arrays.stream(seen).mapToObj(i -> x[i]).toArray(double[][]::new);
    double[] seenY = Arrays.stream(seen).mapToDouble(i -> y[i]).toArray();
    Optional<Rules> model = fit(seenX, seenY, inputs);
    if (model.isEmpty()) {
      return Double.MAX_VALUE;
    }
    double sum = 0;
    double[] into = new double[inputs.length];
    for (int i = 0; i < y.length; i += HELD_OUT) {
      double gap = model.get().predict(columns(x[i], inputs, into)) - y[i];
      sum += gap * gap;
    }
    return sum;
  }

  /**
   * Predicts the mean task time in seconds after it has settled at a donation. If previous task
   * times are inputs of the model, they are replaced by the prediction, up to 16 times.
   *
   * @return seconds, at least 0. Beyond the donations that were seen, the line through the last 64
   *     MiB is extended by another 64 MiB and not further, so that a plan can lead to new donations
   *     and the model learns from them
   */
  public double seconds(double donationMib, TaskConditions conditions) {
    double edge = Math.max(lowMib, Math.min(highMib, donationMib));
    double atEdge = settled(edge, conditions);
    double beyond = Math.min(BEYOND_MIB, Math.abs(donationMib - edge));
    if (beyond == 0) {
      return atEdge;
    }
    double span = Math.min(BEYOND_MIB, highMib - lowMib);
    double inside = settled(donationMib > edge ? edge - span : edge + span, conditions);
    return Math.max(0, atEdge + (atEdge - inside) / span * beyond);
  }

  private double settled(double donationMib, TaskConditions conditions) {
    TaskConditions at = conditions;
    double last = predict(donationMib, at);
    for (int i = 0; hasTimeLags() && i < SETTLING_MAX; i++) {
      at = at.settledAt(last);
      double now = predict(donationMib, at);
      boolean settled = Math.abs(now - last) <= SETTLED * last;
      last = now;
      if (settled) {
        break;
      }
    }
    return last;
  }

  private boolean hasTimeLags() {
    return Arrays.stream(inputs).anyMatch(j -> j == 4 || j == 5);
  }

  private double predict(double donationMib, TaskConditions at) {
    return Math.max(0, rules.predict(columns(all(donationMib, at), inputs, chosen)));
  }

  /** Learns from one more row by recursive least squares on the rules' consequents. */
  public void update(DonationRow row) {
    rules.update(columns(all(row.donationMib(), row.conditions()), inputs, chosen), row.seconds());
  }

  /** Returns the smallest donation in the rows to which the model was fitted, in MiB. */
  public double lowMib() {
    return lowMib;
  }

  /** Returns the largest donation in the rows to which the model was fitted, in MiB. */
  public double highMib() {
    return highMib;
  }

  /** Returns the number of inputs of the model, including the donation. */
  public int inputs() {
    return inputs.length;
  }
}
