package io.idlalayer.modelcontroller.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class DriftDetectorTest {
  static Stream<Supplier<DriftDetector>> detectors() {
    return Stream.of(() -> new Adwin(0.002), () -> new PageHinkley(0.25, 60));
  }

  private static double exponential(SplittableRandom random) {
    return -Math.log(1 - random.nextDouble());
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_constantStream_neverFires(Supplier<DriftDetector> make) {
    DriftDetector detector = make.get();
    for (int i = 0; i < 100_000; i++) {
      assertThat(detector.observe(0.7)).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_stationaryStream_seldomFires(Supplier<DriftDetector> make) {
    SplittableRandom random = new SplittableRandom(1);
    int alarms = 0;
    DriftDetector detector = make.get();
    for (int i = 0; i < 200_000; i++) {
      alarms += detector.observe(0.3 * exponential(random)) ? 1 : 0;
    }
    assertThat(alarms).isLessThanOrEqualTo(6);
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_jumpOfTheLoss_isFoundSoonAtAnyScale(Supplier<DriftDetector> make) {
    for (double scale : new double[] {1e-3, 1, 1e3}) {
      for (int seed = 0; seed < 20; seed++) {
        SplittableRandom random = new SplittableRandom(seed);
        DriftDetector detector = make.get();
        for (int i = 0; i < 5_000; i++) {
          detector.observe(scale * 0.3 * exponential(random));
        }
        int delay = 0;
        boolean found = false;
        while (!found && delay < 1_000) {
          found = detector.observe(scale * 1.2 * exponential(random));
          delay++;
        }
        assertThat(delay).as("scale %s, seed %d", scale, seed).isLessThan(400);
        assertThat(detector.before() / scale).isCloseTo(0.3, within(0.1));
        assertThat(detector.since()).isGreaterThan(1.05 * detector.before());
      }
    }
  }

  @Test
  void adwin_afterAJump_forgetsTheOldLevelAndStaysSmall() {
    SplittableRandom random = new SplittableRandom(4);
    Adwin adwin = new Adwin(0.002);
    for (int i = 0; i < 50_000; i++) {
      adwin.observe(random.nextDouble());
    }
    assertThat(adwin.window()).isEqualTo(50_000);
    for (int i = 0; i < 5_000; i++) {
      adwin.observe(3 + random.nextDouble());
    }
    assertThat(adwin.window()).isBetween(4_000L, 5_600L);
    assertThat(adwin.since()).isCloseTo(3.5, within(0.1));
    assertThat(adwin.snapshot().length).isLessThan(5_000);
  }

  @Test
  void adwin_zerosThenOnes_cutsByTheFormulaOfThePaper() {
    // 64 zeros and 64 ones: the cut in the middle, by hand.
    Adwin adwin = new Adwin(0.002);
    boolean fired = false;
    for (int i = 0; i < 128; i++) {
      fired |= adwin.observe(i < 64 ? 0 : 1);
    }
    double logTerm = Math.log(2 * Math.log(128) / 0.002);
    double epsilon = Math.sqrt(2 / 32.0 * 0.25 * logTerm) + 2 / (3 * 32.0) * logTerm;
    assertThat(epsilon).isLessThan(1);
    assertThat(fired).isTrue();
    // The step is insignificant in noise that is ten times as wide.
    Adwin wide = new Adwin(0.002);
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 128; i++) {
      assertThat(wide.observe((i < 64 ? 0 : 1) + 20 * (random.nextDouble() - 0.5))).isFalse();
    }
  }

  @Test
  void adwin_partOfFewerThanTenValues_isNotJudged() {
    // At this check the newest eight alone lie beyond epsilon; with the two before them they do
    // not.
    Adwin adwin = new Adwin(0.002);
    for (int i = 0; i < 384; i++) {
      assertThat(adwin.observe(i < 376 ? i % 2 * 0.2 : 4)).isFalse();
    }
    boolean fired = false;
    for (int i = 0; i < 32; i++) {
      fired |= adwin.observe(4);
    }
    assertThat(fired).isTrue();
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void restore_snapshot_observesAlike(Supplier<DriftDetector> make) {
    SplittableRandom random = new SplittableRandom(5);
    DriftDetector one = make.get();
    for (int i = 0; i < 1_000; i++) {
      one.observe(random.nextDouble());
    }
    DriftDetector two = make.get();
    two.restore(one.snapshot());
    for (int i = 0; i < 2_000; i++) {
      double x = random.nextDouble() * (i < 500 ? 1 : 3);
      assertThat(two.observe(x)).isEqualTo(one.observe(x));
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_valueThatIsNotFinite_isRefused(Supplier<DriftDetector> make) {
    for (double bad : List.of(Double.NaN, Double.POSITIVE_INFINITY, 1e141, -1e141)) {
      assertThatThrownBy(() -> make.get().observe(bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
