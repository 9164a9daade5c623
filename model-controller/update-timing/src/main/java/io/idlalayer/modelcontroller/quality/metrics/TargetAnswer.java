package io.idlalayer.modelcontroller.quality.metrics;

/**
 * The answers to one sample with a number as its label, in units of the label.
 *
 * @param label target of the sample; finite
 * @param predicted predicted target; finite
 * @param noChange target that the no-change reference predicted; NaN if there is none
 * @param weight how many samples this one counts for, at least 0
 */
public record TargetAnswer(double label, double predicted, double noChange, double weight) {
  public TargetAnswer {
    if (!Double.isFinite(label) || !Double.isFinite(predicted) || Double.isInfinite(noChange)) {
      throw new IllegalArgumentException(
          "label is %s, predicted %s, noChange %s; all must be finite, noChange may be NaN"
              .formatted(label, predicted, noChange));
    }
    Weights.check(weight);
  }
}
