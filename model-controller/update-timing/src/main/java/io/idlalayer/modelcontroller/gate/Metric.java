package io.idlalayer.modelcontroller.gate;

/** The metric that compares two models, on one sample at a time. */
public enum Metric {
  /**
   * Accuracy, for classes: 1 if the predicted class is right, else 0. A difference of 0.01 is one
   * point of accuracy.
   */
  ACCURACY {
    @Override
    double finite(Scored candidate, Scored baseline) {
      return (baseline.right() ? 1 : 0) - (candidate.right() ? 1 : 0);
    }
  },
  /** Log loss in nats, for classes; a difference of more than 1 counts as 1. */
  LOSS {
    @Override
    double finite(Scored candidate, Scored baseline) {
      return Math.max(-1, Math.min(1, candidate.loss() - baseline.loss()));
    }
  },
  /**
   * Absolute error, for regression targets. The difference is relative to the sum of both errors,
   * so it needs no unit, and one outlying target weighs as much as any other sample.
   */
  ERROR {
    @Override
    double finite(Scored candidate, Scored baseline) {
      double own = Math.sqrt(candidate.loss());
      double other = Math.sqrt(baseline.loss());
      return own + other == 0 ? 0 : (own - other) / (own + other);
    }
  };

  /**
   * The score of a model on a sample.
   *
   * @param loss log loss, or squared error; not finite if the prediction is not
   * @param right whether it predicted the class; of no meaning for targets
   */
  public record Scored(float loss, boolean right) {
    boolean isFinite() {
      return Float.isFinite(loss);
    }
  }

  abstract double finite(Scored candidate, Scored baseline);

  /**
   * Returns how much worse the candidate is than the baseline on a sample: in [-1, 1], above 0 if
   * the candidate is worse. Without a finite prediction a model is as bad as can be.
   */
  public double difference(Scored candidate, Scored baseline) {
    if (!candidate.isFinite() || !baseline.isFinite()) {
      return (candidate.isFinite() ? 0 : 1) - (baseline.isFinite() ? 0 : 1);
    }
    return finite(candidate, baseline);
  }
}
