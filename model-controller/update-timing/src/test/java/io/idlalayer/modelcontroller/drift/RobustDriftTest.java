package io.idlalayer.modelcontroller.drift;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Losses as models have them: rare errors, wild values, long tails, slow changes, high levels. */
final class RobustDriftTest {
  static Stream<Supplier<DriftDetector>> detectors() {
    return Stream.of(() -> new Adwin(0.002), () -> new PageHinkley(0.25, 60));
  }

  private static int alarms(
      DriftDetector detector,
      SplittableRandom random,
      int count,
      ToDoubleFunction<SplittableRandom> loss) {
    int alarms = 0;
    for (int i = 0; i < count; i++) {
      alarms += detector.observe(loss.applyAsDouble(random)) ? 1 : 0;
    }
    return alarms;
  }

  private static int delay(
      DriftDetector detector, SplittableRandom random, ToDoubleFunction<SplittableRandom> loss) {
    for (int i = 1; i <= 20_000; i++) {
      if (detector.observe(loss.applyAsDouble(random))) {
        return i;
      }
    }
    return Integer.MAX_VALUE;
  }

  private static double normal(SplittableRandom random) {
    double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
    return radius * Math.cos(2 * Math.PI * random.nextDouble());
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_heavyTailsOrRareErrors_isNoDrift(Supplier<DriftDetector> make) {
    List<ToDoubleFunction<SplittableRandom>> losses =
        List.of(
            r -> Math.exp(1.5 * normal(r)),
            r -> Math.pow(1 - r.nextDouble(), -1 / 2.5),
            r -> Math.pow(1 - r.nextDouble(), -1 / 1.5),
            r -> r.nextDouble() < 0.01 ? 5 : 0.01,
            r -> r.nextDouble() < 0.001 ? 5 : 0.01);
    for (int kind = 0; kind < losses.size(); kind++) {
      int alarms = alarms(make.get(), new SplittableRandom(kind), 200_000, losses.get(kind));
      assertThat(alarms).as("kind %d", kind).isLessThanOrEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_moreOfRareErrors_isADrift(Supplier<DriftDetector> make) {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      DriftDetector detector = make.get();
      alarms(detector, random, 20_000, r -> r.nextDouble() < 0.01 ? 5 : 0.01);
      assertThat(delay(detector, random, r -> r.nextDouble() < 0.2 ? 5 : 0.01))
          .as("seed %d", seed)
          .isLessThan(300);
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_oneWildLoss_isNoDriftAndHidesNone(Supplier<DriftDetector> make) {
    for (double wild : new double[] {10, 100, 1e4, 1e10, -1e10}) {
      for (int seed = 0; seed < 20; seed++) {
        SplittableRandom random = new SplittableRandom(seed);
        DriftDetector detector = make.get();
        assertThat(alarms(detector, random, 5_000, SplittableRandom::nextDouble)).isZero();
        assertThat(detector.observe(wild)).isFalse();
        assertThat(alarms(detector, random, 64, SplittableRandom::nextDouble)).isZero();
        assertThat(delay(detector, random, r -> 1 + r.nextDouble()))
            .as("wild %s, seed %d", wild, seed)
            .isLessThan(300);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_slowRise_isFound(Supplier<DriftDetector> make) {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      DriftDetector detector = make.get();
      assertThat(alarms(detector, random, 5_000, r -> 0.6 * r.nextDouble())).isZero();
      int[] at = {0};
      assertThat(delay(detector, random, r -> 0.6 * r.nextDouble() + 0.5 * at[0]++ / 10_000))
          .as("seed %d", seed)
          .isLessThan(4_000);
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_lossAtAnotherLevel_observesAlike(Supplier<DriftDetector> make) {
    for (double level : new double[] {-1e6, -3, 1e3, 1e6}) {
      SplittableRandom random = new SplittableRandom(11);
      DriftDetector plain = make.get();
      DriftDetector shifted = make.get();
      for (int i = 0; i < 4_000; i++) {
        double value = random.nextDouble() + (i < 3_000 ? 0 : 1);
        assertThat(shifted.observe(level + value)).isEqualTo(plain.observe(value));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void observe_jumpAfterALearningCurve_isFound(Supplier<DriftDetector> make) {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      DriftDetector detector = make.get();
      alarms(detector, random, 500, r -> 10 * r.nextDouble());
      alarms(detector, random, 20_000, r -> 0.6 * r.nextDouble());
      assertThat(delay(detector, random, r -> 0.3 + 0.6 * r.nextDouble()))
          .as("seed %d", seed)
          .isLessThan(700);
    }
  }

  @ParameterizedTest
  @MethodSource("detectors")
  void snapshot_afterAMillionValues_isAsSmall(Supplier<DriftDetector> make) {
    DriftDetector detector = make.get();
    int small = detector.snapshot().length;
    alarms(detector, new SplittableRandom(1), 1_000_000, SplittableRandom::nextDouble);
    assertThat(detector.snapshot()).hasSize(small).hasSizeLessThan(5_000);
  }
}
