package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;

/**
 * The scale by which errors of targets are converted to likelihoods: twice the root mean squared
 * error of the expert that was best in about the last {@link #WINDOW} samples. An error above the
 * scale counts as an error equal to the scale. As long as the experts' errors are below the scale,
 * the squared error of the weighted mean of their predictions has the same kind of bound as the
 * likelihood of the mixture, because the likelihood of the mean is then at least the mean of the
 * likelihoods (squared loss is exp-concave: Kivinen and Warmuth 1999). Confined to one thread.
 */
final class ErrorScale {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 2;

  static final int WINDOW = 1_000;

  private static final double FORGETTING = 1 - 1.0 / WINDOW;

  /** Square of the quotient of the scale and the root mean squared error of the best expert. */
  private static final double SCALES = 4;

  private final double[] meanLosses;
  private double total;

  ErrorScale(int experts) {
    meanLosses = new double[experts];
  }

  /**
   * Adds the squared errors of a sample, and returns the square of the scale.
   *
   * @param losses squared errors of the experts
   * @param importance weight of the sample, at least 0
   */
  double add(double[] losses, double importance) {
    total = total * FORGETTING + importance;
    double share = total > 0 ? importance / total : 1;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < meanLosses.length; i++) {
      meanLosses[i] += (losses[i] - meanLosses[i]) * share;
      least = Math.min(least, meanLosses[i]);
    }
    return SCALES * least;
  }

  /**
   * Returns the likelihood of a prediction.
   *
   * @param loss squared error of the prediction
   * @param square square of the scale
   */
  static double likelihood(double loss, double square) {
    return Math.exp(-0.5 * (loss < square ? loss / square : loss > 0 ? 1 : 0));
  }

  /** Writes the errors to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDoubles(from, meanLosses).putDouble(from + 1, total);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    System.arraycopy(in.getDoubles(from, meanLosses.length), 0, meanLosses, 0, meanLosses.length);
    total = in.getDouble(from + 1);
  }
}
