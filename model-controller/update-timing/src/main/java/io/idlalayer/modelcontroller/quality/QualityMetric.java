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
  /** Accuracy beyond chance. */
  KAPPA(Fit.CLASSES),
  /** Accuracy beyond that of naming the most frequent class. */
  KAPPA_M(Fit.CLASSES),
  /** Accuracy beyond that of repeating the previous class. */
  KAPPA_TEMPORAL(Fit.CLASSES),
  LOG_LOSS(Fit.CLASSES),
  /** Log loss, divided by that of the base rate. */
  NORMALIZED_ENTROPY(Fit.CLASSES),
  /** Area under the ROC curve. */
  AUC(Fit.TWO_CLASSES),
  /** Mean absolute error. */
  MAE(Fit.TARGETS),
  /** Root mean squared error. */
  RMSE(Fit.TARGETS),
  /** Explained part of the variance. */
  R2(Fit.TARGETS),
  /** Mean absolute error, divided by that of repeating the previous target. */
  MASE(Fit.TARGETS),
  /** Pinball loss of the quantile 0.1. */
  QUANTILE_LOSS_10(Fit.TARGETS),
  /** Pinball loss of the quantile 0.9. */
  QUANTILE_LOSS_90(Fit.TARGETS),
  /** Pinball loss of the quantile that the model is trained for. */
  QUANTILE_LOSS(Fit.TARGETS);

  private final Fit fit;

  /** The labels that a metric fits. */
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

  /** Returns whether the metric is known for a label. */
  public boolean fits(Label label) {
    return switch (fit) {
      case CLASSES -> label.task() == Task.CLASSIFICATION;
      case TWO_CLASSES -> label.task() == Task.CLASSIFICATION && label.classes().size() == 2;
      case TARGETS -> label.task() == Task.REGRESSION;
    };
  }

  /** Returns the metrics that are known for a label. */
  public static List<QualityMetric> fitting(Label label) {
    return Arrays.stream(values()).filter(each -> each.fits(label)).toList();
  }

  /**
   * Returns the metric that an application goes by if its file names none: clicks (two classes and
   * ids) by normalized entropy, other classes by kappa-temporal, targets by MASE.
   *
   * @param ids whether events have ids of an unknown number of things
   */
  public static QualityMetric usual(Label label, boolean ids) {
    if (label.task() == Task.REGRESSION) {
      return MASE;
    }
    return ids && label.classes().size() == 2 ? NORMALIZED_ENTROPY : KAPPA_TEMPORAL;
  }
}
