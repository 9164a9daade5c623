package io.idlalayer.modelcontroller.quality.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Vectors that were computed by hand. */
final class ClassMeasuresTest {
  private static final int NONE = ClassAnswer.NONE;

  private static ClassAnswer binary(int label, double positive, int noChange, int majority) {
    int predicted = positive > 0.5 ? 1 : 0;
    double ofLabel = label == 1 ? positive : 1 - positive;
    return new ClassAnswer(
        label,
        predicted,
        noChange,
        majority,
        -Math.log(ofLabel),
        positive,
        predicted == label ? 0 : 1,
        1);
  }

  /** Ten samples: 4 of class 1, of which 3 were found; 2 false alarms. */
  private static ClassMeasures ten() {
    ClassMeasures measures = new ClassMeasures(2);
    measures.add(binary(0, 0.125, NONE, NONE));
    measures.add(binary(0, 0.25, 0, 0));
    measures.add(binary(1, 0.75, 0, 0));
    measures.add(binary(1, 0.875, 1, 0));
    measures.add(binary(0, 0.75, 1, 0));
    measures.add(binary(0, 0.625, 0, 0));
    measures.add(binary(1, 0.375, 0, 0));
    measures.add(binary(0, 0.25, 1, 0));
    measures.add(binary(0, 0.125, 0, 0));
    measures.add(binary(1, 0.625, 0, 0));
    return measures;
  }

  @Test
  void metrics_tenSamples_areThoseComputedByHand() {
    ClassMetrics metrics = ten().metrics();
    assertThat(ten().accuracy()).isEqualTo(0.7);
    // The label before was right four times, class 0 five times.
    assertThat(ten().noChangeAccuracy()).isEqualTo(0.4);
    assertThat(ten().majorityAccuracy()).isEqualTo(0.5);
    assertThat(metrics.kappaTemporal()).isCloseTo(0.3 / 0.6, within(1e-12));
    assertThat(metrics.kappaM()).isCloseTo(0.2 / 0.5, within(1e-12));
    // Class 1 came in 4 of 10 and was predicted in 5: by chance 0.6 * 0.5 + 0.4 * 0.5 agree.
    assertThat(metrics.model().kappa()).isCloseTo((0.7 - 0.5) / 0.5, within(1e-12));
    assertThat(metrics.model().positiveF1()).isCloseTo(6 / 9.0, within(1e-12));
    assertThat(metrics.model().f1()).isCloseTo((6 / 9.0 + 8 / 11.0) / 2, within(1e-12));
    assertThat(metrics.model().balancedAccuracy())
        .isCloseTo((3 / 4.0 + 4 / 6.0) / 2, within(1e-12));
    assertThat(metrics.top3()).as("there are only two").isNull();
  }

  @Test
  void metrics_ofProbabilities_areThoseComputedByHand() {
    ClassMetrics metrics = ten().metrics();
    // 24 pairs. Of the scores of class 1: 0.75 is above 5 of 6 and equals 1; 0.875 above 6; 0.375
    // above 4; 0.625 above 4 and equals 1.
    assertThat(metrics.auc()).isCloseTo((5.5 + 6 + 4 + 4.5) / 24, within(1e-12));
    assertThat(metrics.aucError()).isCloseTo(1 / 24.0, within(1e-12));
    assertThat(metrics.calibration()).isCloseTo(4.75 / 4, within(1e-12));
    double entropy = -0.4 * Math.log(0.4) - 0.6 * Math.log(0.6);
    assertThat(metrics.baseRateLogLoss()).isCloseTo(entropy, within(1e-12));
    assertThat(metrics.normalizedEntropy()).isCloseTo(ten().logLoss() / entropy, within(1e-12));
    assertThat(ten().calibration())
        .extracting(CalibrationBin::predicted)
        .containsExactly(0.125, 0.25, 0.375, 0.625, 0.75, 0.875);
    assertThat(ten().calibration())
        .extracting(CalibrationBin::actual)
        .containsExactly(0.0, 0.0, 1.0, 0.5, 0.5, 1.0);
  }

  @Test
  void metrics_sixClasses_countRanksAndSureness() {
    ClassMeasures measures = new ClassMeasures(6);
    int[] ranks = {0, 2, 3, 4, 5, NONE};
    for (int label = 0; label < 6; label++) {
      int predicted = ranks[label] == 0 ? label : 0;
      measures.add(new ClassAnswer(label, predicted, NONE, NONE, 1, 0.5, ranks[label], 1));
    }
    ClassMetrics metrics = measures.metrics();
    assertThat(metrics.top3()).isEqualTo(2 / 5.0);
    assertThat(metrics.top5()).isEqualTo(4 / 5.0);
    assertThat(metrics.auc()).as("of two classes only").isNull();
    assertThat(metrics.model().positiveF1()).isNull();
    assertThat(metrics.calibration()).as("three expected right, one was").isEqualTo(3);
  }

  @Test
  void metrics_oneClassOnly_haveNoAreaAndNoEntropy() {
    ClassMeasures measures = new ClassMeasures(2);
    measures.add(binary(0, 0.25, NONE, NONE));
    measures.add(binary(0, 0.25, 0, 0));
    ClassMetrics metrics = measures.metrics();
    assertThat(metrics.auc()).isNull();
    assertThat(metrics.aucError()).isNull();
    assertThat(metrics.normalizedEntropy()).isNull();
    assertThat(metrics.calibration()).isNull();
    assertThat(metrics.model().kappa()).as("chance would be right too").isNull();
    assertThat(metrics.model().positiveF1()).isNull();
    assertThat(metrics.model().f1()).isEqualTo(1);
    assertThat(metrics.model().balancedAccuracy()).isEqualTo(1);
    assertThat(metrics.kappaM()).as("the first sample has no reference").isEqualTo(1);
  }

  @Test
  void metrics_beforeTheFirstSample_areUndefined() {
    ClassMeasures measures = new ClassMeasures(2);
    assertThat(measures.accuracy()).isZero();
    assertThat(measures.logLoss()).isZero();
    assertThat(measures.metrics().kappaTemporal()).isNull();
    assertThat(measures.metrics().model().balancedAccuracy()).isNull();
    assertThat(measures.calibration()).isEmpty();
  }

  @Test
  void metrics_equalScores_haveHalfTheArea() {
    ClassMeasures measures = new ClassMeasures(2);
    for (int i = 0; i < 8; i++) {
      measures.add(binary(i % 2, 0.25, NONE, NONE));
    }
    assertThat(measures.metrics().auc()).isEqualTo(0.5);
    assertThat(measures.calibration()).containsExactly(new CalibrationBin(8, 0.25, 0.5));
  }

  @Test
  void metrics_certainScores_areInTheLastBins() {
    ClassMeasures measures = new ClassMeasures(2);
    measures.add(new ClassAnswer(1, 1, NONE, NONE, 0, 1, 0, 1));
    measures.add(new ClassAnswer(0, 0, NONE, NONE, 0, 0, 0, 1));
    assertThat(measures.metrics().auc()).isEqualTo(1);
    assertThat(measures.metrics().aucError()).isZero();
  }

  @Test
  void metrics_weightZero_countsAsASampleOnly() {
    ClassMeasures measures = ten();
    measures.add(new ClassAnswer(1, 0, 1, 1, 16, 0, 1, 0));
    assertThat(measures.metrics()).isEqualTo(ten().metrics());
    assertThat(measures.logLoss()).isEqualTo(ten().logLoss());
    assertThat(measures.counts().samples(1)).isEqualTo(5);
    assertThat(measures.counts().correct(1)).isEqualTo(3);
  }

  @Test
  void metrics_unknownProbability_isLeftOut() {
    ClassMeasures measures = new ClassMeasures(2);
    measures.add(new ClassAnswer(1, 1, NONE, NONE, 0.5, Double.NaN, NONE, 1));
    assertThat(measures.accuracy()).isEqualTo(1);
    assertThat(measures.metrics().calibration()).isNull();
    assertThat(measures.calibration()).isEmpty();
  }

  @Test
  void answer_numbersThatAreNone_areRefused() {
    assertThatThrownBy(() -> new ClassAnswer(0, 0, 0, 0, Double.NaN, 0.5, 0, 1))
        .hasMessageContaining("logLoss is NaN; it must be finite");
    assertThatThrownBy(() -> new ClassAnswer(-1, 0, 0, 0, 1, 0.5, 0, 1))
        .hasMessageContaining("label is -1");
    assertThatThrownBy(() -> new ClassAnswer(0, 0, 0, 0, 1, 1.5, 0, 1))
        .hasMessageContaining("probability is 1.5");
    assertThatThrownBy(() -> new ClassAnswer(0, 0, 0, 0, 1, 0.5, 0, Double.NaN))
        .hasMessageContaining("weight is NaN");
  }
}
