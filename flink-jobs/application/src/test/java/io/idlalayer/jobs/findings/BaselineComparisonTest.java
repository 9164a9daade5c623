package io.idlalayer.jobs.findings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.LabelMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class BaselineComparisonTest {
  private static PrequentialSummary classes(
      long scored, double accuracy, double recent, double noChange, double majority) {
    return new PrequentialSummary(
        scored,
        0,
        new PrequentialSummary.Classification(
            0.5, accuracy, recent, noChange, majority, noChange, majority, List.of()),
        null);
  }

  /** Clicks: never expecting one is right in 83 of 100. */
  private static PrequentialSummary clicks(double entropy, double recentEntropy) {
    return new PrequentialSummary(
        5_000,
        0,
        new PrequentialSummary.Classification(
            0.45 * entropy,
            0.82,
            0.82,
            0.7,
            0.83,
            0.7,
            0.83,
            List.of(),
            0.45 * recentEntropy,
            metrics(entropy),
            metrics(recentEntropy),
            List.of()),
        null);
  }

  private static ClassMetrics metrics(double entropy) {
    LabelMetrics labels = new LabelMetrics(0.6, 0.5, 0.2, 0.1);
    return new ClassMetrics(
        labels, labels, labels, -0.1, 0.3, 0.45, entropy, 0.75, 0.01, 1.0, null, null);
  }

  private static PrequentialSummary targets(double error, double noChange) {
    TargetMetrics metrics = new TargetMetrics(10, 20, 100, 11, 12, 50, 0.2, error / noChange, null);
    return new PrequentialSummary(
        500,
        0,
        null,
        new PrequentialSummary.Regression(
            error, error, noChange, error, error, noChange, metrics, metrics));
  }

  private static Optional<String> of(PrequentialSummary quality, long updates) {
    boolean classes = quality.classification() != null;
    QualityMetric usual = classes ? QualityMetric.KAPPA_TEMPORAL : QualityMetric.MASE;
    return BaselineComparison.of(quality, usual, updates);
  }

  @Test
  void of_belowMajorityAfterFewUpdates_saysSo() {
    assertThat(of(classes(570, 0.0702, 0.0702, 0.4, 0.4965), 4))
        .contains(
            "the model is worse than always the most frequent class (accuracy 0.07020 against"
                + " 0.4965): probably too few updates (4): send the input slower (--rate), or set a"
                + " higher training.learning-rate");
  }

  @Test
  void of_belowNoChangeAfterManyUpdates_saysSo() {
    assertThat(of(classes(5_700, 0.7, 0.7, 0.8, 0.5), 1_204))
        .contains(
            "the model is worse than no change (accuracy 0.7000 against 0.8000) after 1,204"
                + " updates: try a higher training.learning-rate, more training.epochs, or other"
                + " features");
  }

  @Test
  void of_largerErrorsThanNoChange_saysSo() {
    assertThat(of(targets(80.3, 65.2), 12))
        .contains(
            "the model is worse than no change (MASE 1.232 against 1.000): probably too few"
                + " updates (12): send the input slower (--rate), or set a higher"
                + " training.learning-rate");
    assertThat(BaselineComparison.of(targets(80.3, 65.2), QualityMetric.RMSE, 12))
        .get()
        .asString()
        .contains("worse than always the mean (root mean squared error 80.30 against 50.00)");
    assertThat(BaselineComparison.of(targets(80.3, 65.2), QualityMetric.QUANTILE_LOSS_90, 12))
        .get()
        .asString()
        .contains("worse than no change (quantile loss of 0.9 20.00 against 12.00)");
  }

  @Test
  void of_clicks_areComparedByTheEntropyThatWasChosenForThem() {
    assertThat(BaselineComparison.of(clicks(0.9, 0.9), QualityMetric.NORMALIZED_ENTROPY, 200))
        .as("its accuracy is below that of never expecting a click, which nobody asks for")
        .isEmpty();
    assertThat(BaselineComparison.of(clicks(1.2, 1.1), QualityMetric.NORMALIZED_ENTROPY, 200))
        .get()
        .asString()
        .startsWith("the model is worse than the base rate (normalized entropy 1.200 against 1.0");
    assertThat(BaselineComparison.of(clicks(1.2, 0.9), QualityMetric.NORMALIZED_ENTROPY, 200))
        .as("it has caught up on the last 1,000")
        .isEmpty();
    assertThat(BaselineComparison.of(clicks(0.9, 0.9), QualityMetric.ACCURACY, 200)).isPresent();
  }

  @Test
  void of_aGoodModel_saysNothing() {
    assertThat(of(classes(570, 0.9, 0.9, 0.4, 0.5), 4)).isEmpty();
    assertThat(of(targets(60, 65), 4)).isEmpty();
    assertThat(of(classes(49, 0.1, 0.1, 0.4, 0.5), 4)).isEmpty();
    assertThat(of(new PrequentialSummary(0, 900, null, null), 4)).isEmpty();
    assertThat(of(classes(5_000, 0.4, 0.9, 0.4, 0.5), 4))
        .as("it has caught up on the last 1,000")
        .isEmpty();
  }
}
