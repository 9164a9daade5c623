package io.idlalayer.modelcontroller.quality;

import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The value of a metric for a model, and its value on the same samples for the best rule that needs
 * no model.
 *
 * @param measure what {@code value} is, in words
 * @param value value of the model
 * @param rule the best rule, in words
 * @param ruleValue value of that rule
 * @param higherIsBetter whether a higher value is better
 */
public record QualityReading(
    String measure, double value, String rule, double ruleValue, boolean higherIsBetter) {
  /** Name of the rule that repeats the previous label. */
  public static final String NO_CHANGE = "no change";

  /**
   * A rule that needs no model, and the value of the metric for this rule; null if the value is
   * undefined.
   */
  record Rule(String name, @Nullable Double value) {}

  /** Returns whether the model is worse than the rule. */
  public boolean worse() {
    return higherIsBetter ? value < ruleValue : value > ruleValue;
  }

  /**
   * Reads a metric on all scored samples.
   *
   * @return empty if the metric is undefined or unknown, for instance because all labels so far are
   *     of one class
   */
  public static Optional<QualityReading> all(QualityMetric metric, PrequentialSummary summary) {
    Classification classes = summary.classification();
    if (classes != null) {
      return ClassReadings.all(classes).read(metric);
    }
    Regression targets = summary.regression();
    return targets == null ? Optional.empty() : TargetReadings.all(targets).read(metric);
  }

  /**
   * Reads a metric as {@link #all} does, but only on the last {@link PrequentialSummary#WINDOW}
   * samples.
   */
  public static Optional<QualityReading> recent(QualityMetric metric, PrequentialSummary summary) {
    Classification classes = summary.classification();
    if (classes != null) {
      return ClassReadings.recent(classes).read(metric);
    }
    Regression targets = summary.regression();
    return targets == null ? Optional.empty() : TargetReadings.recent(targets).read(metric);
  }

  /**
   * Returns the reading of a metric whose higher values are better: the value of the model and the
   * value of the best rule.
   */
  static Optional<QualityReading> higher(String measure, @Nullable Double value, Rule... rules) {
    return beside(measure, value, true, Comparator.naturalOrder(), rules);
  }

  /**
   * Returns the reading of a metric whose lower values are better: the value of the model and the
   * value of the best rule.
   */
  static Optional<QualityReading> lower(String measure, @Nullable Double value, Rule... rules) {
    return beside(measure, value, false, Comparator.reverseOrder(), rules);
  }

  private static Optional<QualityReading> beside(
      String measure,
      @Nullable Double value,
      boolean higherIsBetter,
      Comparator<Double> order,
      Rule... rules) {
    if (value == null) {
      return Optional.empty();
    }
    QualityReading best = null;
    for (Rule rule : rules) {
      Double own = rule.value();
      if (own != null && (best == null || order.compare(own, best.ruleValue) > 0)) {
        best = new QualityReading(measure, value, rule.name(), own, higherIsBetter);
      }
    }
    return Optional.ofNullable(best);
  }
}
