package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TargetLossTest {
  private static TargetLoss[] losses() {
    return new TargetLoss[] {
      TargetLoss.SQUARED,
      TargetLoss.ABSOLUTE,
      TargetLoss.huber(0.7),
      TargetLoss.quantile(0.9),
      TargetLoss.quantile(0.05),
      TargetLoss.POISSON
    };
  }

  @Test
  void loss_knownErrors_isThatOfTheFormula() {
    assertThat(TargetLoss.SQUARED.loss(5, 2)).isEqualTo(9);
    assertThat(TargetLoss.ABSOLUTE.loss(2, 5)).isEqualTo(3);
    assertThat(TargetLoss.huber(2).loss(3, 2)).isEqualTo(0.5);
    assertThat(TargetLoss.huber(2).loss(7, 2)).isEqualTo(2 * (5 - 1));
    assertThat(TargetLoss.quantile(0.9).loss(2, 5)).isCloseTo(2.7, within(1e-12));
    assertThat(TargetLoss.quantile(0.9).loss(5, 2)).isCloseTo(0.3, within(1e-12));
    // -log of the Poisson probability of 3 at the rate 2, minus that at the rate 3.
    double atTwo = 2 - 3 * Math.log(2) + Math.log(6);
    double atThree = 3 - 3 * Math.log(3) + Math.log(6);
    assertThat(TargetLoss.POISSON.loss(2, 3)).isCloseTo(atTwo - atThree, within(1e-12));
    assertThat(TargetLoss.POISSON.loss(2, 0)).isEqualTo(2);
    assertThat(TargetLoss.POISSON.loss(0, 3)).isFinite();
  }

  @ParameterizedTest
  @MethodSource("losses")
  void slope_anyOutput_isTheDerivativeOfTheLoss(TargetLoss loss) {
    SplittableRandom random = new SplittableRandom(1);
    double step = 1e-6;
    for (int i = 0; i < 200; i++) {
      double output = 6 * random.nextDouble() - 3;
      double target = 5 * random.nextDouble();
      double up = loss.loss(loss.prediction(output + step), target);
      double down = loss.loss(loss.prediction(output - step), target);
      assertThat(loss.slope(loss.prediction(output), target))
          .isCloseTo((up - down) / (2 * step), within(1e-6));
    }
  }

  @ParameterizedTest
  @MethodSource("losses")
  void loss_predictionThatIsTheTarget_isTheLeast(TargetLoss loss) {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 200; i++) {
      double target = 5 * random.nextDouble();
      assertThat(loss.loss(target, target)).isCloseTo(0, within(1e-12));
      assertThat(loss.loss(5 * random.nextDouble(), target)).isPositive();
    }
  }

  /** What each loss is for: the constant that minimises it. */
  @Test
  void loss_ofManyTargets_isLeastAtTheirMeanOrQuantile() {
    double[] targets = {1, 2, 3, 4, 5, 6, 7, 8, 9, 30};
    assertThat(best(TargetLoss.SQUARED, targets)).isCloseTo(7.5, within(0.02));
    assertThat(best(TargetLoss.POISSON, targets)).isCloseTo(7.5, within(0.02));
    assertThat(best(TargetLoss.ABSOLUTE, targets)).isBetween(5.0, 6.0);
    assertThat(best(TargetLoss.quantile(0.75), targets)).isCloseTo(8, within(0.02));
    assertThat(best(TargetLoss.huber(2), targets)).isBetween(5.0, 6.5);
  }

  private static double best(TargetLoss loss, double[] targets) {
    return IntStream.rangeClosed(1, 3_000)
        .mapToObj(i -> i / 100.0)
        .min((a, b) -> Double.compare(sum(loss, a, targets), sum(loss, b, targets)))
        .orElseThrow();
  }

  private static double sum(TargetLoss loss, double predicted, double[] targets) {
    double sum = 0;
    for (double target : targets) {
      sum += loss.loss(predicted, target);
    }
    return sum;
  }

  @ParameterizedTest
  @MethodSource("losses")
  void lossAndSlope_predictionThatIsNoNumber_areNone(TargetLoss loss) {
    assertThat(loss.loss(Double.NaN, 1)).isNaN();
    assertThat(loss.slope(Double.NaN, 1)).isNaN();
  }

  @Test
  void in_anotherUnit_movesTheThresholdOfHuber() {
    double scale = 40;
    assertThat(TargetLoss.huber(0.5).in(scale).loss(100, 30))
        .isCloseTo(
            TargetLoss.huber(0.5).loss(100 / scale, 30 / scale) * scale * scale, within(1e-9));
    assertThat(TargetLoss.quantile(0.9).in(scale)).isEqualTo(TargetLoss.quantile(0.9));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1, -0.1, 1.5, Double.NaN})
  void quantile_levelOutsideOfItsRange_isRefused(double level) {
    assertThatThrownBy(() -> TargetLoss.quantile(level)).hasMessageContaining("QUANTILE");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void huber_thresholdOutsideOfItsRange_isRefused(double delta) {
    assertThatThrownBy(() -> TargetLoss.huber(delta)).hasMessageContaining("HUBER");
  }
}
