package io.idlalayer.modelcontroller.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.gate.Metric.Scored;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.FloatRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class MetricTest {
  private static Scored scored(double loss, boolean right) {
    return new Scored((float) loss, right);
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
    assertThat(Metric.ERROR.difference(scored(9, false), scored(1, false))).isEqualTo(0.5);
    assertThat(Metric.ERROR.difference(scored(0, false), scored(0, false))).isZero();
    assertThat(Metric.ERROR.difference(scored(0, false), scored(1e30, false))).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void difference_noFinitePrediction_isAsBadAsCanBe(Metric metric) {
    Scored broken = new Scored(Float.NaN, false);
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
    Scored a = new Scored(one, right);
    Scored b = new Scored(other, otherRight);
    assertThat(metric.difference(a, b))
        .isBetween(-1.0, 1.0)
        .isEqualTo(-metric.difference(b, a) + 0.0);
  }
}
