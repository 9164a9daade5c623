package io.idlalayer.modelcontroller.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PageHinkleyTest {
  private static int firstAlarm(PageHinkley detector, double[] values) {
    for (int i = 0; i < values.length; i++) {
      if (detector.observe(values[i])) {
        return i + 1;
      }
    }
    return -1;
  }

  /** The formula as in the literature, every mean and deviation computed anew from all values. */
  private static int literal(double[] values, double tolerance, double threshold) {
    double m = 0;
    double least = 0;
    for (int n = 30; n <= values.length; n++) {
      double mean = Arrays.stream(values, 0, n).average().orElseThrow();
      double variance =
          Arrays.stream(values, 0, n).map(x -> (x - mean) * (x - mean)).average().orElseThrow();
      m += (values[n - 1] - mean) / Math.sqrt(variance) - tolerance;
      least = Math.min(least, m);
      if (m - least > threshold) {
        return n;
      }
    }
    return -1;
  }

  @Test
  void observe_withinTheHorizon_followsTheFormulaOfTheLiterature() {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      double[] values = new double[2_000];
      for (int i = 0; i < values.length; i++) {
        values[i] = random.nextDouble() + (i > 1_000 + 20 * seed ? 0.3 : 0);
      }
      int alarm = literal(values, 0.25, 20);
      assertThat(alarm).isGreaterThan(1_000 + 20 * seed);
      assertThat(firstAlarm(new PageHinkley(0.25, 20), values)).isEqualTo(alarm);
    }
  }

  @Test
  void observe_wildValue_addsAtMostTenDeviations() {
    // Constant, so m falls by the tolerance; then every value adds 10 - 0.25: the seventh crosses.
    PageHinkley detector = new PageHinkley(0.25, 60);
    for (int i = 0; i < 2_000; i++) {
      assertThat(detector.observe(0.5)).isFalse();
    }
    for (int i = 1; i <= 6; i++) {
      assertThat(detector.observe(1e6)).as("value %d", i).isFalse();
    }
    assertThat(detector.observe(1e6)).isTrue();
    assertThat(detector.before()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void observe_highLossesAtTheBeginning_areForgotten() {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      PageHinkley detector = new PageHinkley(0.25, 60);
      for (int i = 0; i < 500; i++) {
        assertThat(detector.observe(10 * random.nextDouble())).isFalse();
      }
      for (int i = 0; i < 20_000; i++) {
        assertThat(detector.observe(0.6 * random.nextDouble())).isFalse();
      }
      double[] risen = random.doubles(200, 0.3, 0.9).toArray();
      assertThat(firstAlarm(detector, risen)).as("seed %d", seed).isBetween(6, 200);
    }
  }

  @Test
  void observe_fallOfTheMean_isNoAlarm() {
    SplittableRandom random = new SplittableRandom(3);
    PageHinkley detector = new PageHinkley(0.25, 60);
    for (int i = 0; i < 20_000; i++) {
      assertThat(detector.observe(random.nextDouble() + (i < 5_000 ? 5 : 0))).isFalse();
    }
  }
}
