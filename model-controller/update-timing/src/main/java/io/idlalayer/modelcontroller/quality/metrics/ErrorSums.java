package io.idlalayer.modelcontroller.quality.metrics;

/**
 * Sums of the errors of predicted targets, by sign, and of their squares. Confined to one thread.
 */
final class ErrorSums {
  /** Number of values that {@link #values} returns. */
  static final int VALUES = 4;

  private double weight;

  /**
   * Sum of label - prediction over predictions that were too small. The next field has the sum over
   * predictions that were too large.
   */
  private double under;

  private double over;
  private double squared;

  void add(double label, double predicted, double ofWeight) {
    double error = label - predicted;
    weight += ofWeight;
    if (error > 0) {
      under += ofWeight * error;
    } else {
      over -= ofWeight * error;
    }
    squared += ofWeight * error * error;
  }

  void add(ErrorSums other) {
    weight += other.weight;
    under += other.under;
    over += other.over;
    squared += other.squared;
  }

  double weight() {
    return weight;
  }

  double squared() {
    return squared;
  }

  double absolute() {
    return under + over;
  }

  /** Returns the errors; all 0 before the first sample. */
  TargetErrors errors() {
    double all = weight == 0 ? 1 : weight;
    return new TargetErrors(absolute() / all, Math.sqrt(squared / all), pinball(0.1), pinball(0.9));
  }

  /** Returns the mean pinball loss of a quantile; 0 before the first sample. */
  double pinball(double level) {
    return (level * under + (1 - level) * over) / (weight == 0 ? 1 : weight);
  }

  void clear() {
    set(new double[VALUES]);
  }

  double[] values() {
    return new double[] {weight, under, over, squared};
  }

  void set(double[] values) {
    weight = values[0];
    under = values[1];
    over = values[2];
    squared = values[3];
  }
}
