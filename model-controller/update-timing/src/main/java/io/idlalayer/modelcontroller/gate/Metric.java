package io.idlalayer.modelcontroller.gate;

import io.idlalayer.modelcontroller.quality.QualityMetric;

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
      return relative(Math.abs(candidate.error()), Math.abs(baseline.error()));
    }
  },
  /**
   * Squared error, for regression targets; the difference is relative to the sum of both errors.
   */
  SQUARED_ERROR {
    @Override
    double finite(Scored candidate, Scored baseline) {
      return relative(candidate.error() * candidate.error(), baseline.error() * baseline.error());
    }
  },
  /**
   * Pinball loss of the quantile 0.1, for regression targets; the difference is relative to the sum
   * of both losses.
   */
  QUANTILE_LOSS_10 {
    @Override
    double finite(Scored candidate, Scored baseline) {
      return relative(candidate.pinball(0.1), baseline.pinball(0.1));
    }
  },
  /**
   * Pinball loss of the quantile 0.9, for regression targets; the difference is relative to the sum
   * of both losses.
   */
  QUANTILE_LOSS_90 {
    @Override
    double finite(Scored candidate, Scored baseline) {
      return relative(candidate.pinball(0.9), baseline.pinball(0.9));
    }
  },
  /**
   * The loss that the training minimises, for regression targets; the difference is relative to the
   * sum of both losses.
   */
  TRAINING_LOSS {
    @Override
    double finite(Scored candidate, Scored baseline) {
      return relative(candidate.loss(), baseline.loss());
    }
  };

  private static double relative(double own, double other) {
    return own + other == 0 ? 0 : (own - other) / (own + other);
  }

  /**
   * Returns the metric by which two models are compared if the application file names {@code
   * metric}. A comparison adds up differences of single samples, and some metrics are not defined
   * on a single sample. So models are compared by log loss instead of AUC, and by accuracy instead
   * of F1, balanced accuracy and the kappas. On the same samples, the kappas order two models as
   * accuracy does, and normalized entropy orders them as log loss does.
   */
  public static Metric comparing(QualityMetric metric) {
    return switch (metric) {
      case ACCURACY, BALANCED_ACCURACY, F1, POSITIVE_F1, KAPPA, KAPPA_M, KAPPA_TEMPORAL -> ACCURACY;
      case LOG_LOSS, NORMALIZED_ENTROPY, AUC -> LOSS;
      case MAE, MASE -> ERROR;
      case RMSE, R2 -> SQUARED_ERROR;
      case QUANTILE_LOSS_10 -> QUANTILE_LOSS_10;
      case QUANTILE_LOSS_90 -> QUANTILE_LOSS_90;
      // Only an application whose models are trained for a quantile can choose this metric.
      case QUANTILE_LOSS -> TRAINING_LOSS;
    };
  }

  /**
   * Returns true if the metric compares predicted classes, and false if the metric compares
   * predicted targets.
   */
  public boolean ofClasses() {
    return this == ACCURACY || this == LOSS;
  }

  /**
   * The score of a model on a sample.
   *
   * @param loss log loss of a class, or the training loss of a target, which has an upper bound;
   *     not finite if the prediction is not finite
   * @param right whether the model predicted the class; ignored for targets
   * @param error prediction minus target, between -1e39 and 1e39; ignored for classes
   */
  public record Scored(float loss, boolean right, double error) {
    private double pinball(double level) {
      return error < 0 ? -level * error : (1 - level) * error;
    }

    boolean isFinite() {
      return Float.isFinite(loss);
    }
  }

  abstract double finite(Scored candidate, Scored baseline);

  /**
   * Returns how much worse the candidate is than the baseline on a sample: in [-1, 1], above 0 if
   * the candidate is worse. A model whose prediction is not finite gets the worst score.
   */
  public double difference(Scored candidate, Scored baseline) {
    if (!candidate.isFinite() || !baseline.isFinite()) {
      return (candidate.isFinite() ? 0 : 1) - (baseline.isFinite() ? 0 : 1);
    }
    return finite(candidate, baseline);
  }
}
