package io.idlalayer.modelcontroller.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BettingTestTest {
  /** The mean of the capital over all sequences of two values whose mean is the limit. */
  @Property(tries = 40)
  void logCapital_meanIsTheLimit_isOneOnAverage(
      @ForAll @DoubleRange(min = 0, max = 0.5) double limit,
      @ForAll @IntRange(min = 1, max = 9) int n) {
    double up = (1 + limit) / 2;
    double mean = 0;
    for (int bits = 0; bits < 1 << n; bits++) {
      BettingTest test = new BettingTest(limit);
      double chance = 1;
      for (int i = 0; i < n; i++) {
        boolean above = (bits >> i & 1) == 1;
        test.add(above ? 1 : -1);
        chance *= above ? up : 1 - up;
      }
      mean += chance * Math.exp(test.logCapital());
    }
    assertThat(mean).isCloseTo(1, within(1e-9));
  }

  @Test
  void isAbove_neverWorse_isSaidAtMostAsOftenAsAllowed() {
    SplittableRandom random = new SplittableRandom(5);
    int runs = 4_000;
    int alarms = 0;
    for (int run = 0; run < runs; run++) {
      BettingTest test = new BettingTest(0.01);
      boolean alarm = false;
      for (int i = 0; i < 500 && !alarm; i++) {
        double drawn = random.nextDouble();
        test.add(drawn < 0.155 ? 1 : drawn < 0.3 ? -1 : 0);
        alarm = test.isAbove(0.05);
      }
      alarms += alarm ? 1 : 0;
    }
    assertThat(alarms).as("of %d at 0.05", runs).isLessThanOrEqualTo((int) (0.05 * runs));
  }

  @ParameterizedTest
  @CsvSource({"0.15, 1200", "0.3, 400", "0.6, 120"})
  void isAbove_worse_isSaidSoon(double harm, long samples) {
    SplittableRandom random = new SplittableRandom(6);
    for (int run = 0; run < 200; run++) {
      BettingTest test = new BettingTest(0.01);
      while (!test.isAbove(1e-5) && test.count() < 10_000) {
        double drawn = random.nextDouble();
        test.add(drawn < harm + 0.05 ? 1 : drawn > 0.95 ? -1 : 0);
      }
      assertThat(test.count()).isLessThan(samples);
    }
  }

  @Test
  void add_longStreamsOfGoodValues_staysFinite() {
    BettingTest test = new BettingTest(0.01);
    for (int i = 0; i < 1_000_000; i++) {
      test.add(-1);
    }
    assertThat(test.logCapital()).isNegative().isFinite();
    assertThat(test.mean()).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
  void add_outOfBounds_isRefused(double value) {
    BettingTest test = new BettingTest(0);
    assertThatThrownBy(() -> test.add(value)).isInstanceOf(IllegalArgumentException.class);
  }
}
