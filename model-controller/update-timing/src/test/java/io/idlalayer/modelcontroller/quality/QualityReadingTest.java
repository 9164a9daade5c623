package io.idlalayer.modelcontroller.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each metric is read of the results that it fits, and of no others. */
final class QualityReadingTest {
  private static final Label CLASSES = new Label("y", Task.CLASSIFICATION, List.of("no", "yes"));
  private static final Label TARGETS = new Label("y", Task.REGRESSION, List.of());

  /** Eight samples of two classes, of which the model knows six. */
  private static PrequentialSummary classes() {
    double[] labels = {0, 0, 1, 0, 1, 1, 0, 0};
    double[] probabilities = {0.1, 0.3, 0.8, 0.6, 0.9, 0.7, 0.2, 0.55};
    List<Sample> samples = new ArrayList<>();
    float[] losses = new float[labels.length];
    double[] predicted = new double[labels.length];
    double[] noChange = new double[labels.length];
    double[][] predictions = new double[labels.length][];
    for (int i = 0; i < labels.length; i++) {
      samples.add(Sample.of(new double[] {0}, labels[i]));
      predictions[i] = new double[] {1 - probabilities[i], probabilities[i]};
      losses[i] = (float) -Math.log(predictions[i][(int) labels[i]]);
      predicted[i] = probabilities[i] > 0.5 ? 1 : 0;
      noChange[i] = i == 0 ? Double.NaN : labels[i - 1];
    }
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    evaluator.scored(
        ScoredBatch.of(
            new ScoringBatch(new long[labels.length], samples, noChange, new double[labels.length]),
            losses,
            predicted,
            Confidence.of(samples, predictions)));
    return evaluator.summary();
  }

  /** Targets that go up and down by two, predicted half a unit too small and too large. */
  private static PrequentialSummary targets() {
    int n = 8;
    List<Sample> samples = new ArrayList<>();
    float[] losses = new float[n];
    double[] predicted = new double[n];
    double[] noChange = new double[n];
    for (int i = 0; i < n; i++) {
      double label = 2 * (i % 2);
      samples.add(Sample.of(new double[] {0}, label));
      predicted[i] = label + (i < 4 ? 0.5 : -0.5);
      losses[i] = 0.25f;
      noChange[i] = i == 0 ? Double.NaN : 2 - label;
    }
    PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGETS, 0.75);
    evaluator.scored(
        ScoredBatch.of(
            new ScoringBatch(new long[n], samples, noChange, noChange), losses, predicted));
    return evaluator.summary();
  }

  @ParameterizedTest
  @EnumSource
  void all_aMetricThatFits_saysThatTheModelIsBetter(QualityMetric metric) {
    boolean ofClasses = metric.fits(CLASSES);
    assertThat(metric.fits(TARGETS)).isNotEqualTo(ofClasses);
    PrequentialSummary fitting = ofClasses ? classes() : targets();
    assertThat(QualityReading.all(metric, fitting)).get().matches(found -> !found.worse());
    assertThat(QualityReading.recent(metric, fitting))
        .as("all are among the last 1,000")
        .isEqualTo(QualityReading.all(metric, fitting));
    assertThat(QualityReading.all(metric, ofClasses ? targets() : classes())).isEmpty();
    assertThat(QualityReading.all(metric, new PrequentialSummary(0, 0, null, null))).isEmpty();
  }

  @Test
  void all_severalRules_namesTheBestOne() {
    assertThat(QualityReading.all(QualityMetric.ACCURACY, classes()))
        .contains(
            new QualityReading("accuracy", 0.75, "always the most frequent class", 0.625, true));
    assertThat(QualityReading.all(QualityMetric.RMSE, targets()))
        .contains(new QualityReading("root mean squared error", 0.5, "always the mean", 1, false));
    assertThat(QualityReading.all(QualityMetric.MASE, targets()))
        .contains(new QualityReading("MASE", 0.25, "no change", 1, false));
  }
}
