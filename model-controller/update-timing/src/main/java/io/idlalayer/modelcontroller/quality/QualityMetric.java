package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The metrics by which an application can judge its model; {@link QualityReading} reads them. */
public enum QualityMetric {
  ACCURACY(Fit.CLASSES),
  BALANCED_ACCURACY(Fit.CLASSES),
  /** Mean F1 of the classes. */
  F1(Fit.CLASSES),
  /** F1 of the second of two classes. */
  POSITIVE_F1(Fit.TWO_CLASSES),
  /** Cohen's kappa: accuracy beyond chance. */
  KAPPA(Fit.CLASSES),
  /** Kappa M: accuracy beyond the accuracy of always predicting the most frequent class. */
  KAPPA_M(Fit.CLASSES),
  /** Temporal kappa: accuracy beyond the accuracy of predicting the previous class. */
  KAPPA_TEMPORAL(Fit.CLASSES),
  LOG_LOSS(Fit.CLASSES),
  /** Log loss of the model, divided by the log loss of always predicting the base rate. */
  NORMALIZED_ENTROPY(Fit.CLASSES),
  /** Area under the ROC curve. */
  AUC(Fit.TWO_CLASSES),
  /** Mean absolute error. */
  MAE(Fit.TARGETS),
  /** Root mean squared error. */
  RMSE(Fit.TARGETS),
  /** Part of the variance of the targets that the model explains. */
  R2(Fit.TARGETS),
  /** Mean absolute error of the model, divided by the error of predicting the previous target. */
  MASE(Fit.TARGETS),
  /** Pinball loss of the quantile 0.1. */
  QUANTILE_LOSS_10(Fit.TARGETS),
  /** Pinball loss of the quantile 0.9. */
  QUANTILE_LOSS_90(Fit.TARGETS),
  /** Pinball loss of the quantile that the model is trained for. */
  QUANTILE_LOSS(Fit.TARGETS);

  private final Fit fit;

  /** The kinds of labels for which a metric is defined. */
  private enum Fit {
    CLASSES,
    TWO_CLASSES,
    TARGETS
  }

  QualityMetric(Fit fit) {
    this.fit = fit;
  }

  /** Returns the name in application files and messages, such as {@code kappa-temporal}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether the metric is defined for a label. */
  public boolean fits(Label label) {
    return switch (fit) {
      case CLASSES -> label.task() == Task.CLASSIFICATION;
      case TWO_CLASSES -> label.task() == Task.CLASSIFICATION && label.classes().size() == 2;
      case TARGETS -> label.task() == Task.REGRESSION;
    };
  }

  /** Returns the metrics that are defined for a label. */
  public static List<QualityMetric> fitting(Label label) {
    return Arrays.stream(values()).filter(each -> each.fits(label)).toList();
  }

  /**
   * Returns the metric of an application whose file names no metric: normalized entropy for clicks
   * (two classes and ids), kappa-temporal for other classes, MASE for targets.
   *
   * @param ids whether events have id features
   */
  public static QualityMetric usual(Label label, boolean ids) {
    if (label.task() == Task.REGRESSION) {
      return MASE;
    }
    return ids && label.classes().size() == 2 ? NORMALIZED_ENTROPY : KAPPA_TEMPORAL;
  }
}
