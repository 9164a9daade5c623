package io.idlalayer.modelcontroller.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TrainingCostModelTest {
  private static double seconds(double lambda, double eps, int samples, SplittableRandom random) {
    return (lambda * samples + eps) * (1 + 0.1 * (random.nextDouble() + random.nextDouble() - 1));
  }

  @Test
  void estimate_exactObservations_givesTheirLine() {
    TrainingCostModel model = new TrainingCostModel();
    for (int round = 0; round < 20; round++) {
      model.observe(100, 2.0);
      model.observe(200, 3.0);
      model.observe(400, 5.0);
    }
    CostEstimate estimate = model.estimate();
    assertThat(estimate.secondsPerSample()).isCloseTo(0.01, within(2e-4));
    assertThat(estimate.fixedSeconds()).isCloseTo(1.0, within(0.05));
    assertThat(estimate.seconds(300)).isCloseTo(4.0, within(0.02));
  }

  @Test
  void estimate_noiseOutliersAndColdStart_isLearned() {
    SplittableRandom random = new SplittableRandom(3);
    TrainingCostModel model = new TrainingCostModel();
    for (int i = 0; i < 200; i++) {
      int samples = 50 + random.nextInt(2000);
      double seconds = seconds(0.002, 0.5, samples, random);
      if (i < 5) {
        seconds *= 3;
      } else if (random.nextDouble() < 0.03) {
        seconds *= 4;
      }
      model.observe(samples, seconds);
    }
    CostEstimate estimate = model.estimate();
    assertThat(estimate.seconds(1000)).isCloseTo(2.5, within(0.25));
    assertThat(estimate.fixedSeconds()).isBetween(estimate.fixed().low(), estimate.fixed().high());
  }

  @Test
  void estimate_machineTwiceAsSlow_isFollowed() {
    SplittableRandom random = new SplittableRandom(4);
    TrainingCostModel model = new TrainingCostModel();
    for (int i = 0; i < 60; i++) {
      int samples = 100 + random.nextInt(1000);
      model.observe(samples, seconds(0.001, 1, samples, random));
    }
    for (int i = 0; i < 12; i++) {
      int samples = 100 + random.nextInt(1000);
      model.observe(samples, seconds(0.002, 2, samples, random));
    }
    assertThat(model.estimate().seconds(500)).isCloseTo(3.0, within(0.45));
  }

  @Test
  void estimate_equalBatchSizes_predictsTheirDuration() {
    TrainingCostModel model = new TrainingCostModel();
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 50; i++) {
      model.observe(500, seconds(0.001, 0.5, 500, random));
    }
    assertThat(model.estimate().seconds(500)).isCloseTo(1.0, within(0.1));
  }

  @ParameterizedTest
  @CsvSource({
    "1e-6, 0.002",
    "1e-5, 0.05",
    "0.001, 0.5",
    "0, 3",
    "0.01, 20",
    "0.2, 30",
    "1, 5",
    "3, 600"
  })
  void estimate_machineOfAnySpeed_isLearnedWithinThirtyTrainings(double lambda, double eps) {
    SplittableRandom random = new SplittableRandom(7);
    TrainingCostModel model = new TrainingCostModel();
    for (int i = 0; i < 30; i++) {
      int samples = 50 + random.nextInt(2000);
      model.observe(samples, seconds(lambda, eps, samples, random));
    }
    CostEstimate estimate = model.estimate();
    assertThat(estimate.seconds(1000) / (lambda * 1000 + eps)).isCloseTo(1, within(0.1));
    // The interval holds the truth, unless eps is below the floor of 5 % of a mean training.
    assertThat(Math.max(eps, 0.06 * (lambda * 1000 + eps)))
        .isBetween(0.75 * estimate.fixed().low(), 1.25 * estimate.fixed().high());
  }

  @Test
  void estimate_threeTrainings_leavesThePriorBehind() {
    for (double seconds : new double[] {0.004, 1, 900}) {
      TrainingCostModel model = new TrainingCostModel();
      model.observe(1000, seconds);
      model.observe(500, 0.6 * seconds);
      model.observe(2000, 1.8 * seconds);
      assertThat(model.estimate().seconds(1000) / seconds).isCloseTo(1, within(0.25));
    }
  }

  @Property(tries = 300)
  void estimate_anyObservations_isNeitherNegativeNorNaN(
      @ForAll @Size(min = 1, max = 60)
          java.util.List<@IntRange(min = 1, max = 1_000_000) Integer> sizes,
      @ForAll @DoubleRange(min = -6, max = 5) double exponent) {
    double scale = Math.pow(10, exponent);
    TrainingCostModel model = new TrainingCostModel();
    SplittableRandom random = new SplittableRandom(sizes.size());
    for (int size : sizes) {
      model.observe(size, scale * (1e-6 + random.nextDouble() * random.nextDouble()));
      CostEstimate estimate = model.estimate();
      assertThat(estimate.secondsPerSample()).isNotNaN().isGreaterThanOrEqualTo(0);
      assertThat(estimate.fixedSeconds()).isNotNaN().isPositive();
      assertThat(estimate.fixed().low()).isNotNaN().isPositive();
      assertThat(estimate.fixedSecondsForDecision()).isPositive();
    }
  }

  @Test
  void restore_snapshot_estimatesAlike() {
    TrainingCostModel model = new TrainingCostModel();
    for (int i = 1; i <= 30; i++) {
      model.observe(i * 10, 0.3 + i * 0.01);
    }
    TrainingCostModel restored = TrainingCostModel.restore(model.snapshot());
    assertThat(restored.estimate()).isEqualTo(model.estimate());
  }

  @Test
  void observe_invalidValue_isRefused() {
    TrainingCostModel model = new TrainingCostModel();
    for (double bad : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> model.observe(1, bad)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> model.observe(0, 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void interval_nineteenOfTwentyDurations_areInside() {
    int inside = 0;
    int all = 0;
    for (int seed = 0; seed < 20; seed++) {
      java.util.SplittableRandom random = new java.util.SplittableRandom(seed);
      TrainingCostModel model = new TrainingCostModel();
      for (int i = 0; i < 100; i++) {
        // Sizes that hardly differ leave epsilon unknown, but not the duration.
        int samples = 2_000 + random.nextInt(500);
        double noise = 0;
        for (int k = 0; k < 12; k++) {
          noise += random.nextDouble() - 0.5;
        }
        double seconds = (0.2 + 1e-4 * samples) * (1 + 0.1 * noise);
        if (i >= 20) {
          CostEstimate estimate = model.estimate();
          all++;
          if (seconds >= estimate.predict(samples).low()
              && seconds <= estimate.predict(samples).high()) {
            inside++;
          }
          assertThat(estimate.predict(samples).high()).isLessThan(1.8 * estimate.seconds(samples));
        }
        model.observe(samples, seconds);
      }
    }
    assertThat((double) inside / all).isBetween(0.88, 0.995);
  }

  /** Updates of a few rows, then of many, and the other way round; the warm-up trained 64. */
  @ParameterizedTest
  @CsvSource({
    "0.000002, 0.0008",
    "0.00001, 0.002",
    "0.0001, 0.003",
    "0.002, 0.005",
    "0.01, 0.5",
    "0, 0.003",
    "0, 1"
  })
  void predictions_fromAMeasuredTraining_areOfTheRightSizeAtOnce(double lambda, double eps) {
    int measured = 64;
    for (int[] sizes : new int[][] {{20, 30, 40}, {10, 1000, 500}, {1500, 1500, 50}, {300, 5, 9}}) {
      TrainingCostModel model =
          TrainingCostModel.startingFrom(new MeasuredTraining(measured, lambda * measured + eps));
      double least = 0;
      for (int size : sizes) {
        double seconds = lambda * size + eps;
        assertThat(model.estimate().seconds(size) / seconds)
            .as("%s, the one of %d rows", Arrays.toString(sizes), size)
            .isBetween(least, 10.0);
        model.observe(size, seconds);
        least = 0.01;
      }
    }
  }

  @Test
  void predictions_ofASmallNetwork_areMillisecondsBeforeTheFirstUpdate() {
    MeasuredTraining before = new MeasuredTraining(256, 0.003);
    TrainingCostModel model = TrainingCostModel.startingFrom(before);
    assertThat(model.estimate().seconds(100)).isCloseTo(0.003, within(1e-9));
    assertThat(model.estimate().observations()).isZero();
    model.observe(100, 0.0035);
    assertThat(model.estimate().seconds(100)).isBetween(0.003, 0.0035);
    // Something else had the machine.
    model.observe(100, 1);
    assertThat(model.estimate().seconds(100)).isLessThan(0.02);
    model.observe(100, 0.003);
    assertThat(model.estimate().seconds(100)).isLessThan(0.01);
  }

  @Test
  void predictions_ofAMachineTenTimesAsSlowAsMeasured_followWithinThreeUpdates() {
    TrainingCostModel model = TrainingCostModel.startingFrom(new MeasuredTraining(64, 0.005));
    for (int update = 0; update < 3; update++) {
      model.observe(1000, 0.05);
    }
    assertThat(model.estimate().seconds(1000)).isCloseTo(0.05, within(0.01));
  }
}
