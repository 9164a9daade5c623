package io.idlalayer.modelcontroller.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.SampleSchema.Label;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.gate.Metric.Scored;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.FloatRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MetricTest {
  private static Scored scored(double loss, boolean right) {
    return new Scored((float) loss, right, 0);
  }

  /**
   * Returns the score of a prediction of a target; the loss does not tell how large the error is.
   */
  private static Scored wrongBy(double error) {
    return new Scored((float) Math.min(1e30, error * error), false, error);
  }

  @Test
  void difference_accuracy_isOneWhereOnlyTheBaselineIsRight() {
    assertThat(Metric.ACCURACY.difference(scored(9, false), scored(0, true))).isEqualTo(1);
    assertThat(Metric.ACCURACY.difference(scored(0, true), scored(9, false))).isEqualTo(-1);
    assertThat(Metric.ACCURACY.difference(scored(1, true), scored(2, true))).isZero();
  }

  @Test
  void difference_loss_isCutAtOneNat() {
    assertThat(Metric.LOSS.difference(scored(0.75, true), scored(0.5, true))).isEqualTo(0.25);
    assertThat(Metric.LOSS.difference(scored(16, false), scored(0, true))).isEqualTo(1);
  }

  @Test
  void difference_error_isRelativeToBoth() {
    assertThat(Metric.ERROR.difference(wrongBy(-3), wrongBy(1))).isEqualTo(0.5);
    assertThat(Metric.ERROR.difference(wrongBy(0), wrongBy(0))).isZero();
    assertThat(Metric.ERROR.difference(wrongBy(0), wrongBy(1e15))).isEqualTo(-1);
  }

  @Test
  void difference_squaredError_isRelativeToBoth() {
    assertThat(Metric.SQUARED_ERROR.difference(wrongBy(3), wrongBy(-1))).isEqualTo(0.8);
    assertThat(Metric.SQUARED_ERROR.difference(wrongBy(0), wrongBy(0))).isZero();
  }

  /** Also where the losses, squares of 32 bits, are alike: 0, or at their bound. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-30, 1e-6, 1e18, 1e38})
  void difference_targetsOfAnyUnit_isRelativeToBoth(double unit) {
    Scored one = wrongBy(3 * unit);
    Scored other = wrongBy(unit);
    assertThat(Metric.ERROR.difference(one, other)).isCloseTo(0.5, within(1e-9));
    assertThat(Metric.SQUARED_ERROR.difference(one, other)).isCloseTo(0.8, within(1e-9));
    assertThat(Metric.QUANTILE_LOSS_10.difference(one, other)).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void difference_quantileLoss_weighsTooSmallAndTooLargePredictions() {
    Scored tooSmall = wrongBy(-2);
    Scored tooLarge = wrongBy(2);
    assertThat(Metric.QUANTILE_LOSS_90.difference(tooSmall, tooLarge))
        .isCloseTo(0.8, within(1e-12));
    assertThat(Metric.QUANTILE_LOSS_10.difference(tooSmall, tooLarge))
        .isCloseTo(-0.8, within(1e-12));
  }

  @Test
  void difference_trainingLoss_isRelativeToBoth() {
    assertThat(Metric.TRAINING_LOSS.difference(scored(9, false), scored(3, false))).isEqualTo(0.5);
  }

  @ParameterizedTest
  @EnumSource
  void comparing_anyMetric_isOfTheSameTask(QualityMetric metric) {
    Label classes = new Label("y", Task.CLASSIFICATION, List.of("no", "yes"));
    assertThat(Metric.comparing(metric).ofClasses()).isEqualTo(metric.fits(classes));
  }

  @ParameterizedTest
  @EnumSource
  void difference_noFinitePrediction_isAsBadAsCanBe(Metric metric) {
    Scored broken = new Scored(Float.NaN, false, Double.NaN);
    Scored whole = scored(3, false);
    assertThat(metric.difference(broken, whole)).isEqualTo(1);
    assertThat(metric.difference(whole, broken)).isEqualTo(-1);
    assertThat(metric.difference(broken, broken)).isZero();
  }

  @Property
  void difference_anyLosses_isBoundedAndChangesSignWithTheSides(
      @ForAll Metric metric,
      @ForAll @FloatRange(max = 3e38f) float one,
      @ForAll @FloatRange(max = 3e38f) float other,
      @ForAll boolean right,
      @ForAll boolean otherRight) {
    Scored a = new Scored(one, right, right ? one : -one);
    Scored b = new Scored(other, otherRight, otherRight ? other : -other);
    assertThat(metric.difference(a, b))
        .isBetween(-1.0, 1.0)
        .isEqualTo(-metric.difference(b, a) + 0.0);
  }
}
