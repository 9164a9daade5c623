package io.idlalayer.benchmarks.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ArrivalsTest {
  private static final int EVENTS = 20_000;

  /** Variance of the gaps over the square of their mean: 1 for a steady stream. */
  private static double spread(long[] times) {
    double[] gaps = new double[times.length - 1];
    Arrays.setAll(gaps, i -> times[i + 1] - times[i]);
    double mean = Arrays.stream(gaps).average().orElseThrow();
    return Arrays.stream(gaps).map(gap -> (gap - mean) * (gap - mean)).average().orElseThrow()
        / (mean * mean);
  }

  @ParameterizedTest
  @EnumSource(Arrivals.class)
  void millis_ofASeed_ascendOverTheGivenTime(Arrivals pattern) {
    long[] times = pattern.millis(EVENTS, 600, 3);
    assertThat(times).hasSize(EVENTS).isSorted().isEqualTo(pattern.millis(EVENTS, 600, 3));
    assertThat(times[0]).isZero();
    assertThat(times[EVENTS - 1]).isBetween(560_000L, 600_000L);
    assertThat(times).isNotEqualTo(pattern.millis(EVENTS, 600, 4));
  }

  @ParameterizedTest
  @EnumSource(Arrivals.class)
  void millis_gaps_spreadAsTheNameSays(Arrivals pattern) {
    double spread = spread(pattern.millis(EVENTS, 20_000, 1));
    if (pattern == Arrivals.STEADY) {
      assertThat(spread).isCloseTo(1, within(0.1));
    } else {
      assertThat(spread).isGreaterThan(10);
    }
  }
}
