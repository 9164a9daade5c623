package io.idlalayer.modelcontroller.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.QuantileMetrics;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PrequentialEvaluatorTest {
  static final SampleSchema.Label CLASSES =
      new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("a", "b", "c", "d"));
  private static final SampleSchema.Label TARGET =
      new SampleSchema.Label("y", Task.REGRESSION, List.of());

  static ScoredBatch scored(
      double[] labels, double[] losses, double[] predicted, double[] noChange, double[] majority) {
    List<Sample> samples =
        IntStream.range(0, labels.length)
            .mapToObj(i -> Sample.of(new double[] {0}, labels[i]))
            .toList();
    float[] narrow = new float[losses.length];
    for (int i = 0; i < narrow.length; i++) {
      narrow[i] = (float) losses[i];
    }
    return ScoredBatch.of(
        new ScoringBatch(new long[labels.length], samples, noChange, majority), narrow, predicted);
  }

  @Test
  void perplexity_isTheExponentialOfTheMeanLogLoss() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    // p(label) = 1/2, 1/4, 1/8: mean log loss 2 ln 2, perplexity 4.
    double[] losses = {Math.log(2), Math.log(4), Math.log(8)};
    double[] none = {Float.NaN, Float.NaN, Float.NaN};
    evaluator.scored(scored(new double[] {0, 1, 1}, losses, new double[] {0, 1, 0}, none, none));
    PrequentialSummary summary = evaluator.summary();
    assertThat(summary.classification().perplexity()).isCloseTo(4, within(1e-6));
    assertThat(summary.classification().accuracy()).isCloseTo(2 / 3.0, within(1e-12));
    assertThat(summary.classification().noChangeAccuracy()).isZero();
  }

  @Test
  void scored_regression_errorsAreInLabelUnits() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGET);
    evaluator.label(10, 1);
    assertThat(evaluator.noChangeLabel()).isNaN();
    evaluator.label(14, 1);
    assertThat(evaluator.noChangeLabel()).isEqualTo(10);
    evaluator.scored(
        scored(
            new double[] {10, 14},
            new double[] {9, 1},
            new double[] {13, 13},
            new double[] {Float.NaN, 10},
            new double[] {Float.NaN, Float.NaN}));
    PrequentialSummary summary = evaluator.summary();
    assertThat(summary.regression().meanAbsoluteError()).isEqualTo(2);
    assertThat(summary.regression().rootMeanSquaredError()).isCloseTo(Math.sqrt(5), within(1e-12));
    assertThat(summary.regression().noChangeMeanAbsoluteError()).isEqualTo(4);
    assertThat(summary.classification()).isNull();
  }

  @Test
  void scored_predictionsThatAreNoNumbers_areWrongAndKeepTheSumsFinite() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    double[] none = {Float.NaN, Float.NaN, Float.NaN, Float.NaN};
    // A row of NaN has its first class for the best one.
    double[] losses = {Float.NaN, 0, Float.POSITIVE_INFINITY, 1e30f};
    evaluator.scored(
        scored(new double[] {0, 0, 0, 0}, losses, new double[] {0, 0, 0, 0}, none, none));
    PrequentialSummary summary = evaluator.summary();
    assertThat(summary.scored()).isEqualTo(4);
    assertThat(summary.classification().accuracy()).isEqualTo(0.5);
    assertThat(summary.classification().logLoss())
        .isCloseTo(3 * PrequentialEvaluator.MOST_LOG_LOSS / 4, within(1e-9));
    assertThat(summary.classification().perplexity()).isFinite();
  }

  @Test
  void scored_targetWithoutAFinitePrediction_countsAsUnscored() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGET);
    double[] none = {Float.NaN, Float.NaN, Float.NaN};
    evaluator.scored(
        scored(
            new double[] {1, 1, 1},
            new double[] {Float.NaN, Float.POSITIVE_INFINITY, 4},
            new double[] {Float.NaN, Float.NEGATIVE_INFINITY, 3},
            none,
            none));
    PrequentialSummary summary = evaluator.summary();
    assertThat(summary.scored()).isEqualTo(1);
    assertThat(summary.unscored()).isEqualTo(2);
    assertThat(summary.regression().meanAbsoluteError()).isEqualTo(2);
    assertThat(summary.regression().rootMeanSquaredError()).isEqualTo(2);
  }

  @Test
  void scored_outlyingTarget_countsAsItsLossDoes() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGET);
    ScoredBatch batch =
        scored(
            new double[] {1e9f, 11},
            new double[] {400, 1},
            new double[] {10, 12},
            new double[] {10, 30},
            new double[] {Float.NaN, Float.NaN});
    evaluator.scored(batch.counting(new double[] {30, 11}));
    PrequentialSummary summary = evaluator.summary();
    assertThat(summary.regression().meanAbsoluteError()).isEqualTo(10.5);
    assertThat(summary.regression().noChangeMeanAbsoluteError()).isEqualTo(19.5);
  }

  /**
   * The losses are squares of 32 bits, at most 1e30: 0 for tiny targets, and all alike for huge.
   */
  @Test
  void scored_targetsOfAnyUnit_haveTheErrorsOfTheirUnit() {
    for (double unit : new double[] {1e-30, 1e-24, 1e-6, 1, 1e18, 1e37}) {
      PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGET);
      double[] losses = {Math.min(1e30, unit * unit), Math.min(1e30, 9 * unit * unit)};
      evaluator.scored(
          scored(
              new double[] {unit, 3 * unit},
              losses,
              new double[] {2 * unit, 0},
              new double[] {Double.NaN, unit},
              new double[] {Double.NaN, Double.NaN}));
      PrequentialSummary.Regression targets = evaluator.summary().regression();
      assertThat(targets.meanAbsoluteError()).isCloseTo(2 * unit, within(1e-9 * unit));
      assertThat(targets.metrics().mase()).as("3 against 2").isCloseTo(1.5, within(1e-9));
      assertThat(targets.metrics().rSquared()).as("1 - 10/2").isCloseTo(-4, within(1e-9));
    }
  }

  @Test
  void scored_modelsOfAQuantile_haveTheLossOfItsLevelInBothSpansOfTime() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGET, 0.75);
    evaluator.scored(
        scored(
            new double[] {10, 14},
            new double[] {2, 2},
            new double[] {12, 10},
            new double[] {Float.NaN, 16},
            new double[] {Float.NaN, Float.NaN}));
    PrequentialSummary summary = evaluator.summary();
    // Too much by 2 counts a quarter, too little by 4 three quarters.
    assertThat(summary.regression().metrics().quantile())
        .isEqualTo(new QuantileMetrics(0.75, (0.25 * 2 + 0.75 * 4) / 2, 0.25 * 2))
        .isEqualTo(summary.regression().recent().quantile());
    QualityReading reading = QualityReading.all(QualityMetric.QUANTILE_LOSS, summary).orElseThrow();
    assertThat(reading.measure()).isEqualTo("quantile loss of 0.75");
    assertThat(reading.worse()).isTrue();
  }

  @Test
  void summary_modelsOfNoQuantile_haveNoLossOfOne() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGET);
    double[] one = {1};
    evaluator.scored(scored(one, one, one, one, one));
    assertThat(evaluator.summary().regression().metrics().quantile()).isNull();
    assertThat(QualityReading.all(QualityMetric.QUANTILE_LOSS, evaluator.summary())).isEmpty();
  }

  @Test
  void failed_batch_countsAsUnscored() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    double[] one = {1};
    ScoringBatch batch = scored(one, one, one, one, one).batch();
    evaluator.scored(ScoredBatch.failed(batch, "broken"));
    evaluator.unscored(4);
    assertThat(evaluator.summary().scored()).isZero();
    assertThat(evaluator.summary().unscored()).isEqualTo(5);
  }

  @Test
  void recentAccuracy_olderThanTheWindow_isForgotten() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    int n = PrequentialSummary.WINDOW;
    double[] zeros = new double[n];
    double[] ones = new double[n];
    Arrays.fill(ones, 1);
    evaluator.scored(scored(zeros, zeros, ones, zeros, zeros));
    assertThat(evaluator.summary().classification().recentAccuracy()).isZero();
    evaluator.scored(scored(ones, zeros, ones, zeros, zeros));
    assertThat(evaluator.summary().classification().recentAccuracy()).isEqualTo(1);
    assertThat(evaluator.summary().classification().accuracy()).isEqualTo(0.5);
  }

  @Test
  void recentReferenceLines_seeTheSamplesOfTheRecentAccuracy() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    int n = PrequentialSummary.WINDOW;
    double[] zeros = new double[n];
    double[] ones = new double[n];
    Arrays.fill(ones, 1);
    evaluator.scored(scored(zeros, zeros, zeros, zeros, zeros));
    double[] noChange = new double[n];
    Arrays.fill(noChange, 0, n / 4, 1);
    noChange[n - 1] = Float.NaN;
    double[] majority = new double[n];
    Arrays.fill(majority, 0, n / 2, 1);
    evaluator.scored(scored(ones, zeros, zeros, noChange, majority));
    PrequentialEvaluator restored = new PrequentialEvaluator(CLASSES);
    restored.restore(evaluator.snapshot());
    PrequentialSummary.Classification found = restored.summary().classification();
    assertThat(found.recentAccuracy()).isZero();
    assertThat(found.recentNoChangeAccuracy()).isEqualTo(0.25);
    assertThat(found.recentMajorityAccuracy()).isEqualTo(0.5);
    assertThat(found.noChangeAccuracy()).isEqualTo(0.625);
  }

  @Test
  void recent_targets_areOfTheWindow() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(TARGET);
    int n = PrequentialSummary.WINDOW;
    double[] labels = new double[n];
    double[] noChange = new double[n];
    for (int i = 0; i < n; i++) {
      labels[i] = i % 2;
      noChange[i] = 1 - i % 2;
    }
    double[] wrong = new double[n];
    Arrays.fill(wrong, 3);
    double[] largeLosses = new double[n];
    Arrays.fill(largeLosses, 9);
    evaluator.scored(scored(labels, largeLosses, wrong, noChange, noChange));
    double[] half = new double[n];
    Arrays.fill(half, 0.5);
    double[] smallLosses = new double[n];
    Arrays.fill(smallLosses, 0.25);
    evaluator.scored(scored(labels, smallLosses, half, noChange, noChange));
    PrequentialEvaluator restored = new PrequentialEvaluator(TARGET);
    restored.restore(evaluator.snapshot());
    PrequentialSummary.Regression found = restored.summary().regression();
    assertThat(found.recentMeanAbsoluteError()).isEqualTo(0.5);
    assertThat(found.recentNoChangeMeanAbsoluteError()).isEqualTo(1);
    assertThat(found.recent().mase()).isEqualTo(0.5);
    assertThat(found.recent().rSquared()).isCloseTo(0, within(1e-12));
    assertThat(found.meanAbsoluteError()).isEqualTo(1.5);
    assertThat(found.metrics().mase()).isEqualTo(1.5);
    assertThat(restored.summary()).isEqualTo(evaluator.summary());
  }

  @Test
  void metrics_predictionsThatAreNoNumbers_areSureOfWhatDidNotCome() {
    PrequentialEvaluator evaluator =
        new PrequentialEvaluator(
            new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("no", "yes")));
    double[] none = {Double.NaN, Double.NaN};
    evaluator.scored(
        scored(new double[] {0, 1}, new double[] {Float.NaN, Float.NaN}, none, none, none));
    ClassMetrics found = evaluator.summary().classification().metrics();
    assertThat(found.auc()).isZero();
    assertThat(found.normalizedEntropy())
        .isCloseTo(PrequentialEvaluator.MOST_LOG_LOSS / Math.log(2), within(1e-9));
    assertThat(found.calibration()).isEqualTo(1);
  }

  @Test
  void summary_betweenScoredBatches_isKept() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    double[] one = {1};
    evaluator.scored(scored(one, one, one, one, one));
    PrequentialSummary first = evaluator.summary();
    assertThat(evaluator.summary()).isSameAs(first);
    evaluator.unscored(1);
    assertThat(evaluator.summary().unscored()).isEqualTo(1);
    evaluator.scored(scored(one, one, new double[] {0}, one, one));
    assertThat(evaluator.summary().classification().accuracy()).isEqualTo(0.5);
  }

  @Test
  void byClass_samplesAndPredictions_areCountedForEachClassAtAllAndLately() {
    PrequentialEvaluator evaluator = new PrequentialEvaluator(CLASSES);
    double[] losses = {0, 0, 0, Float.NaN};
    double[] none = {Float.NaN, Float.NaN, Float.NaN, Float.NaN};
    evaluator.scored(
        scored(new double[] {0, 0, 2, 2}, losses, new double[] {0, 2, 2, 2}, none, none));
    int n = PrequentialSummary.WINDOW;
    double[] ones = new double[n - 1];
    Arrays.fill(ones, 1);
    evaluator.scored(scored(ones, new double[n - 1], ones, ones, ones));
    PrequentialEvaluator restored = new PrequentialEvaluator(CLASSES);
    restored.restore(evaluator.snapshot());
    assertThat(restored.summary().classification().byClass())
        .containsExactly(
            new PrequentialSummary.ClassQuality("a", 2, 1, 1, 0, 0, 0),
            new PrequentialSummary.ClassQuality("b", n - 1, n - 1, n - 1, n - 1, n - 1, n - 1),
            new PrequentialSummary.ClassQuality("c", 2, 2, 1, 1, 0, 0));
  }

  @Test
  void byClass_veryManyClasses_thoseThatCameMostLately() {
    List<String> names = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();
    PrequentialEvaluator evaluator =
        new PrequentialEvaluator(new SampleSchema.Label("y", Task.CLASSIFICATION, names));
    double[] labels = new double[5_050];
    int at = 0;
    for (int label = 0; label < 100; label++) {
      for (int i = 0; i <= label; i++) {
        labels[at++] = label;
      }
    }
    evaluator.scored(scored(labels, new double[at], labels, labels, labels));
    assertThat(evaluator.summary().classification().byClass())
        .hasSize(PrequentialSummary.MOST_CLASSES)
        .extracting(PrequentialSummary.ClassQuality::name)
        .startsWith("k68", "k69", "k70")
        .endsWith("k98", "k99");
  }

  @Test
  void restore_usedEvaluator_forgetsItsOwnLabels() {
    PrequentialEvaluator used = new PrequentialEvaluator(CLASSES);
    for (int i = 0; i < 5; i++) {
      used.label(7, 1);
    }
    PrequentialEvaluator source = new PrequentialEvaluator(CLASSES);
    source.label(2, 1);
    used.restore(source.snapshot());
    used.label(7, 1);
    used.label(7, 1);
    used.label(0, 1);
    assertThat(used.majorityLabel()).isEqualTo(7);
    assertThat(used.snapshot()).hasSize(source.snapshot().length + 2 * 12);
    used.restore(source.snapshot());
    assertThat(used.snapshot()).isEqualTo(source.snapshot());
  }
}
