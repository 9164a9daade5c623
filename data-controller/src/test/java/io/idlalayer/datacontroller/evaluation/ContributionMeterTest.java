package io.idlalayer.datacontroller.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.datacontroller.settings.DataSettings.ContributionMode;
import io.idlalayer.middleware.sample.Contribution;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class ContributionMeterTest {
  @Test
  void staged_copies_shareOneGain() {
    assertThat(ContributionMeter.staged(0.6, 1)).isCloseTo(0.6, within(1e-12));
    assertThat(ContributionMeter.staged(0.6, Math.exp(2))).isCloseTo(0.2, within(1e-12));
  }

  private static Contribution of(float before, float after) {
    return new Contribution(1, before, after);
  }

  private static Contribution of(float after, float gradientNorm, float heldOut) {
    return new Contribution(1, 9, after, gradientNorm, heldOut);
  }

  @Test
  void raw_reducibleLoss_isTheLossAboveTheSecondModels() {
    ContributionMode mode = ContributionMode.REDUCIBLE_LOSS;
    float first = ContributionMeter.raw(mode, true, 99, of(2f, 0, 0.5f));
    assertThat(first).isEqualTo(1.5f);
    assertThat(ContributionMeter.raw(mode, false, first, of(0.5f, 0, 2f))).isEqualTo(0.75f);
    assertThat(ContributionMeter.raw(mode, false, first, of(0.5f, 0, Float.NaN))).isEqualTo(first);
    assertThat(ContributionMeter.raw(mode, true, 99, of(0.5f, 0, Float.NaN))).isZero();
  }

  @Test
  void raw_gradientNorm_isTheLastOneMeasured() {
    ContributionMode mode = ContributionMode.GRADIENT_NORM;
    assertThat(ContributionMeter.raw(mode, false, 1, of(2f, 0.25f, 0))).isEqualTo(0.25f);
    assertThat(ContributionMeter.raw(mode, false, 1, of(2f, Float.NaN, 0))).isEqualTo(1);
  }

  @Test
  void raw_gain_isTheSmoothedFallOfTheLoss() {
    float first = ContributionMeter.raw(ContributionMode.GAIN, true, 99, of(2f, 0.5f));
    assertThat(first).isEqualTo(1.5f);
    float second = ContributionMeter.raw(ContributionMode.GAIN, false, first, of(0.5f, 0.9f));
    assertThat(second).isEqualTo(0.75f);
    assertThat(ContributionMeter.raw(ContributionMode.LOSS, false, 1, of(2f, 0.5f)))
        .isEqualTo(0.5f);
  }

  @Property(tries = 300)
  void percentiles_withTies_areMeanRanks(
      @ForAll @Size(min = 2, max = 50) List<@DoubleRange(min = 0, max = 3) Double> values) {
    double[] array = values.stream().mapToDouble(v -> Math.round(v)).toArray();
    float[] ranks = ContributionMeter.percentiles(array);
    for (int i = 0; i < array.length; i++) {
      double value = array[i];
      long below = Arrays.stream(array).filter(v -> v < value).count();
      long equal = Arrays.stream(array).filter(v -> v == value).count();
      double expected = (below + (equal - 1) / 2.0) / (array.length - 1);
      assertThat((double) ranks[i]).isCloseTo(expected, within(1e-6));
    }
  }

  @Test
  void percentiles_singleValue_isInTheMiddle() {
    assertThat(ContributionMeter.percentiles(new double[] {7})).containsExactly(0.5f);
  }
}
