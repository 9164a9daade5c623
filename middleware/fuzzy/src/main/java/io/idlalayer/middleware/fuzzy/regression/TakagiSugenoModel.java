package io.idlalayer.middleware.fuzzy.regression;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.LUDecomposition;
import org.apache.commons.math3.linear.RealMatrix;

/**
 * A Takagi-Sugeno model of several inputs and one output: rules with Gaussian antecedents and
 * linear consequents, averaged by how strongly the rules fire (Rang 2021, chapter 5, equation of
 * R). Its output is {@code y = sum_i W_i (theta_i . (z, 1)) / sum_i W_i}, where W_i is the product
 * of the memberships of rule i, theta_i its coefficients and z the standardised inputs. It is
 * fitted to a log by subtractive clustering and one weighted ridge regression, then followed by
 * recursive least squares with forgetting. Confined to one thread; predicting and updating allocate
 * nothing.
 */
public final class TakagiSugenoModel {
  private static final byte VERSION = 1;
  private static final double SIGMA = 0.5 / Math.sqrt(8);
  private static final double RIDGE = 1e-6;
  private static final double NO_RULE_FIRES = 1e-9;
  private static final double COVARIANCE_MAX = 1e6;

  private final InputScale scale;
  private final double[][] centres;
  private final double[] consequents;
  private final double[] covariance;
  private final double forgetting;

  private final double[] weights;
  private final double[] row;
  private final double[] gain;

  /**
   * Settings of fitting and updating a model.
   *
   * @param maxRules most rules
   * @param linearBelowRows with fewer rows there is one linear rule
   * @param forgetting factor of recursive least squares, in (0, 1]
   */
  public record Settings(int maxRules, int linearBelowRows, double forgetting) {
    /** Returns the settings of the quality model of Rang 2021 for a number of inputs. */
    public static Settings defaults(int inputs) {
      return new Settings(8, 3 * (inputs + 1), 0.98);
    }
  }

  private TakagiSugenoModel(
      InputScale scale,
      double[][] centres,
      double[] consequents,
      double[] covariance,
      double forgetting) {
    this.scale = scale;
    this.centres = centres;
    this.consequents = consequents;
    this.covariance = covariance;
    this.forgetting = forgetting;
    weights = new double[centres.length];
    row = new double[consequents.length];
    gain = new double[consequents.length];
  }

  /**
   * Fits a model to rows of inputs and their outputs.
   *
   * @param x rows of equal length
   * @param y one output for each row
   * @return nothing if there are fewer than two rows
   * @throws IllegalArgumentException naming the row and column that is not finite, or the row of
   *     another length
   */
  public static Optional<TakagiSugenoModel> fit(double[][] x, double[] y, Settings settings) {
    if (x.length != y.length) {
      throw new IllegalArgumentException(
          "%d rows of inputs but %d outputs".formatted(x.length, y.length));
    }
    if (x.length < 2) {
      return Optional.empty();
    }
    for (int i = 0; i < x.length; i++) {
      check(x[i], x[0].length, "row " + i);
      if (!Double.isFinite(y[i])) {
        throw new IllegalArgumentException("row " + i + ": the output is " + y[i]);
      }
    }
    InputScale scale = InputScale.of(x);
    double[][] centres = centres(scale, x, y, settings);
    int size = centres.length * (scale.width() + 1);
    TakagiSugenoModel model =
        new TakagiSugenoModel(
            scale, centres, new double[size], new double[size * size], settings.forgetting());
    model.solve(x, y);
    return Optional.of(model);
  }

  private static double[][] centres(InputScale scale, double[][] x, double[] y, Settings settings) {
    int width = scale.width();
    if (x.length < settings.linearBelowRows()) {
      double[] middle = new double[width];
      Arrays.fill(middle, 0.5);
      return new double[][] {middle};
    }
    double low = Arrays.stream(y).min().orElseThrow();
    double range = Arrays.stream(y).max().orElseThrow() - low;
    double[][] points = new double[x.length][width + 1];
    for (int i = 0; i < x.length; i++) {
      for (int j = 0; j < width; j++) {
        points[i][j] = scale.ranged(j, x[i][j]);
      }
      points[i][width] = range > 0 ? (y[i] - low) / range : 0;
    }
    List<Integer> found = SubtractiveClustering.centres(points, settings.maxRules());
    double[][] centres = new double[found.size()][];
    for (int i = 0; i < centres.length; i++) {
      centres[i] = Arrays.copyOf(points[found.get(i)], width);
    }
    return centres;
  }

  /**
   * Computes the consequents of all rules by ridge regression on rows that are weighted by how
   * strongly each rule fires.
   */
  private void solve(double[][] x, double[] y) {
    int size = consequents.length;
    RealMatrix normal = new Array2DRowRealMatrix(size, size);
    double[] right = new double[size];
    for (int i = 0; i < x.length; i++) {
      regressors(x[i]);
      for (int a = 0; a < size; a++) {
        right[a] += row[a] * y[i];
        for (int b = 0; b < size; b++) {
          normal.addToEntry(a, b, row[a] * row[b]);
        }
      }
    }
    double ridge = RIDGE * normal.getTrace() / size;
    for (int a = 0; a < size; a++) {
      normal.addToEntry(a, a, ridge);
    }
    var solver = new LUDecomposition(normal, Double.MIN_NORMAL).getSolver();
    double[] solution = solver.solve(new ArrayRealVector(right)).toArray();
    System.arraycopy(solution, 0, consequents, 0, size);
    RealMatrix inverse = solver.getInverse();
    for (int a = 0; a < size; a++) {
      for (int b = 0; b < size; b++) {
        covariance[a * size + b] = (inverse.getEntry(a, b) + inverse.getEntry(b, a)) / 2;
      }
    }
    boundCovariance();
  }

  private static void check(double[] x, int width, String where) {
    if (x.length != width) {
      throw new IllegalArgumentException(
          "%s has %d inputs where %d are expected".formatted(where, x.length, width));
    }
    for (int j = 0; j < x.length; j++) {
      if (!Double.isFinite(x[j])) {
        throw new IllegalArgumentException("%s: input %d is %s".formatted(where, j, x[j]));
      }
    }
  }

  /**
   * Fills {@link #weights} with the rules' firing strengths, which sum to 1, and {@link #row} with
   * the regressors of the consequents.
   */
  private void regressors(double[] x) {
    fire(x);
    int at = 0;
    for (double weight : weights) {
      for (int j = 0; j < x.length; j++) {
        row[at++] = weight * scale.standardized(j, scale.clamped(j, x[j]));
      }
      row[at++] = weight;
    }
  }

  private void fire(double[] x) {
    double sum = 0;
    int nearest = 0;
    double least = Double.MAX_VALUE;
    for (int i = 0; i < centres.length; i++) {
      double distance = 0;
      for (int j = 0; j < x.length; j++) {
        double gap = scale.ranged(j, scale.clamped(j, x[j])) - centres[i][j];
        distance += gap * gap;
      }
      weights[i] = Math.exp(-distance / (2 * SIGMA * SIGMA));
      sum += weights[i];
      if (distance < least) {
        least = distance;
        nearest = i;
      }
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] = sum < NO_RULE_FIRES ? (i == nearest ? 1 : 0) : weights[i] / sum;
    }
  }

  /**
   * Predicts the output for some inputs. An input beyond the range of the fitted rows counts as if
   * it were at the edge of this range.
   *
   * @throws IllegalArgumentException if an input is not finite; the message names the input
   */
  public double predict(double[] x) {
    check(x, scale.width(), "the prediction");
    regressors(x);
    double sum = 0;
    for (int a = 0; a < row.length; a++) {
      sum += consequents[a] * row[a];
    }
    return sum;
  }

  /**
   * Learns from one more row by recursive least squares with forgetting on the rules' consequents.
   */
  public void update(double[] x, double y) {
    check(x, scale.width(), "the update");
    if (!Double.isFinite(y)) {
      throw new IllegalArgumentException("the update: the output is " + y);
    }
    regressors(x);
    int size = row.length;
    double denominator = forgetting;
    double error = y;
    for (int a = 0; a < size; a++) {
      double sum = 0;
      for (int b = 0; b < size; b++) {
        sum += covariance[a * size + b] * row[b];
      }
      gain[a] = sum;
      denominator += row[a] * sum;
      error -= consequents[a] * row[a];
    }
    for (int a = 0; a < size; a++) {
      consequents[a] += gain[a] / denominator * error;
      for (int b = 0; b <= a; b++) {
        double value = (covariance[a * size + b] - gain[a] * gain[b] / denominator) / forgetting;
        covariance[a * size + b] = value;
        covariance[b * size + a] = value;
      }
    }
    boundCovariance();
  }

  /**
   * Limits the covariance of recursive least squares, which forgetting would let grow without bound
   * while the inputs do not vary.
   */
  private void boundCovariance() {
    int size = row.length;
    double greatest = 0;
    for (int a = 0; a < size; a++) {
      greatest = Math.max(greatest, covariance[a * size + a]);
    }
    if (greatest > COVARIANCE_MAX) {
      double factor = COVARIANCE_MAX / greatest;
      for (int i = 0; i < covariance.length; i++) {
        covariance[i] *= factor;
      }
    }
  }

  public int rules() {
    return centres.length;
  }

  /**
   * Computes how strongly each rule fires, summing to 1, into an array of {@link #rules()} values.
   */
  public void strengths(double[] x, double[] into) {
    check(x, scale.width(), "the inputs");
    fire(x);
    System.arraycopy(weights, 0, into, 0, weights.length);
  }

  /** Encodes this model as bytes, in version 1: the sizes and arrays in the order of the fields. */
  public byte[] encode() {
    int width = scale.width();
    int doubles = 1 + 4 * width + centres.length * width + consequents.length + covariance.length;
    ByteBuffer out = ByteBuffer.allocate(1 + 4 + 4 + 8 * doubles);
    out.put(VERSION).putInt(width).putInt(centres.length).putDouble(forgetting);
    for (double[] part : new double[][] {scale.low(), scale.high(), scale.mean()}) {
      put(out, part);
    }
    put(out, scale.deviation());
    for (double[] centre : centres) {
      put(out, centre);
    }
    put(out, consequents);
    put(out, covariance);
    return out.array();
  }

  private static void put(ByteBuffer out, double[] values) {
    for (double value : values) {
      out.putDouble(value);
    }
  }

  /** Decodes a model from the bytes of {@link #encode()}. */
  public static TakagiSugenoModel decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "a Takagi-Sugeno model of version %d; this program reads %d".formatted(version, VERSION));
    }
    int width = in.getInt();
    int rules = in.getInt();
    double forgetting = in.getDouble();
    InputScale scale =
        new InputScale(take(in, width), take(in, width), take(in, width), take(in, width));
    double[][] centres = new double[rules][];
    for (int i = 0; i < rules; i++) {
      centres[i] = take(in, width);
    }
    int size = rules * (width + 1);
    return new TakagiSugenoModel(scale, centres, take(in, size), take(in, size * size), forgetting);
  }

  private static double[] take(ByteBuffer in, int count) {
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = in.getDouble();
    }
    return values;
  }
}
