package io.idlalayer.modelcontroller.mixture;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;

/**
 * Sums of how well each expert predicted, weighted by the samples' importance. Confined to one
 * thread.
 */
final class ExpertTally {
  /** Number of fields that {@link #write} uses. */
  static final int FIELDS = 4;

  private double weight;
  private final double[] correct;
  private final double[] absoluteErrors;
  private final double[] losses;

  ExpertTally(int experts) {
    correct = new double[experts];
    absoluteErrors = new double[experts];
    losses = new double[experts];
  }

  /** Adds the weight of a sample. A call of {@link #add} for each expert must follow. */
  void sample(double importance) {
    weight += importance;
  }

  /**
   * Adds what an expert predicted for the sample.
   *
   * @param error absolute difference of prediction and label
   */
  void add(int expert, double error, double loss, double importance) {
    correct[expert] += error == 0 ? importance : 0;
    absoluteErrors[expert] += importance * error;
    losses[expert] += importance * loss;
  }

  double weight() {
    return weight;
  }

  double accuracy(int expert) {
    return mean(correct[expert]);
  }

  double meanAbsoluteError(int expert) {
    return mean(absoluteErrors[expert]);
  }

  double meanLoss(int expert) {
    return mean(losses[expert]);
  }

  private double mean(double sum) {
    return weight > 0 ? sum / weight : 0;
  }

  /** Writes the sums to {@link #FIELDS} fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    return out.putDouble(from, weight)
        .putDoubles(from + 1, correct)
        .putDoubles(from + 2, absoluteErrors)
        .putDoubles(from + 3, losses);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    weight = in.getDouble(from);
    copy(in, from + 1, correct);
    copy(in, from + 2, absoluteErrors);
    copy(in, from + 3, losses);
  }

  private static void copy(StateReader in, int from, double[] into) {
    System.arraycopy(in.getDoubles(from, into.length), 0, into, 0, into.length);
  }
}
