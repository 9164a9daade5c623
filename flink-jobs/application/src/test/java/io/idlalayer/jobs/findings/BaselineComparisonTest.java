package io.idlalayer.jobs.findings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.util.List;
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

  private static PrequentialSummary targets(double error, double noChange) {
    return new PrequentialSummary(
        500, 0, null, new PrequentialSummary.Regression(error, error, noChange));
  }

  @Test
  void of_belowMajorityAfterFewUpdates_saysSo() {
    assertThat(BaselineComparison.of(classes(570, 0.0702, 0.0702, 0.4, 0.4965), 4))
        .contains(
            "the model is worse than always the most frequent class (accuracy 0.0702 against"
                + " 0.4965): probably too few updates (4): send the input slower (--rate), or set a"
                + " higher training.learning-rate");
  }

  @Test
  void of_belowNoChangeAfterManyUpdates_saysSo() {
    assertThat(BaselineComparison.of(classes(5_700, 0.7, 0.7, 0.8, 0.5), 1_204))
        .contains(
            "the model is worse than no change (accuracy 0.7000 against 0.8000) after 1,204"
                + " updates: try a higher training.learning-rate, more training.epochs, or other"
                + " features");
  }

  @Test
  void of_largerErrorsThanNoChange_saysSo() {
    assertThat(BaselineComparison.of(targets(80.3, 65.2), 12))
        .contains(
            "the model is worse than no change (mean absolute error 80.30 against 65.20): probably"
                + " too few updates (12): send the input slower (--rate), or set a higher"
                + " training.learning-rate");
  }

  @Test
  void of_aGoodModel_saysNothing() {
    assertThat(BaselineComparison.of(classes(570, 0.9, 0.9, 0.4, 0.5), 4)).isEmpty();
    assertThat(BaselineComparison.of(targets(60, 65), 4)).isEmpty();
    assertThat(BaselineComparison.of(classes(49, 0.1, 0.1, 0.4, 0.5), 4)).isEmpty();
    assertThat(BaselineComparison.of(new PrequentialSummary(0, 900, null, null), 4)).isEmpty();
    assertThat(BaselineComparison.of(classes(5_000, 0.4, 0.9, 0.4, 0.5), 4))
        .as("it has caught up on the last 1,000")
        .isEmpty();
  }
}
