package io.idlalayer.modelcontroller.quality.metrics;

import org.jspecify.annotations.Nullable;

/**
 * The metrics, apart from the accuracy, that need only labels and predicted classes. A number is
 * null if it is undefined.
 *
 * @param balancedAccuracy mean recall of the classes that came, 0 to 1
 * @param f1 mean F1 of the classes that came or were predicted, 0 to 1
 * @param positiveF1 F1 of the second of two classes, 0 to 1; null if there are more classes
 * @param kappa accuracy beyond chance, at most 1
 */
public record LabelMetrics(
    @Nullable Double balancedAccuracy,
    @Nullable Double f1,
    @Nullable Double positiveF1,
    @Nullable Double kappa) {
  static LabelMetrics of(ClassTally tally, boolean binary) {
    return new LabelMetrics(
        tally.balancedAccuracy(), tally.macroF1(), binary ? tally.f1(1) : null, tally.kappa());
  }
}
