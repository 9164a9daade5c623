package io.idlalayer.middleware.cache.donation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.cache.donation.DonationRow.TaskConditions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TaskTimeModelTest {
  private static final TaskConditions AT = steady(4096, 2, 30);

  private static TaskConditions steady(double memoryMib, int executors, double seconds) {
    return new TaskConditions(memoryMib, executors, 0, seconds, seconds, memoryMib, memoryMib);
  }

  private static double bowl(double s) {
    return 30 + (s - 256) * (s - 256) / 4096;
  }

  /** A log with noise of one percent; donations dwell for a while, as in a running process. */
  private static List<DonationRow> log(
      String type, DoubleUnaryOperator truth, int rows, int dwell, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Random noise = new Random(seed);
    List<DonationRow> log = new ArrayList<>();
    double y1 = truth.applyAsDouble(0);
    double y2 = y1;
    double s = 0;
    for (int i = 0; i < rows; i++) {
      if (i % dwell == 0) {
        s = 64 * random.nextInt(9);
      }
      double y = truth.applyAsDouble(s) * (1 + 0.01 * noise.nextGaussian());
      TaskConditions at =
          new TaskConditions(4096, 2, random.nextDouble(0, 0.05), y1, y2, 4096, 4096);
      log.add(new DonationRow(type, s, at, y));
      y2 = y1;
      y1 = y;
    }
    return log;
  }

  private static long best(TaskTimeModel model) {
    return LongStream.rangeClosed(0, 8)
        .map(step -> 64 * step)
        .boxed()
        .min(Comparator.comparingDouble(mib -> model.seconds(mib, AT)))
        .orElseThrow();
  }

  @Test
  void syntheticLog_planIsWithinOneStepOf256() {
    int logsThatReachBothSides = 0;
    for (int dwell : new int[] {1, 5, 20}) {
      for (long seed = 0; seed < 20; seed++) {
        List<DonationRow> log = log("kmeans", TaskTimeModelTest::bowl, 200, dwell, seed);
        TaskTimeModel model = TaskTimeModel.fit(log).orElseThrow();
        if (model.lowMib() < 192 && model.highMib() > 320) {
          logsThatReachBothSides++;
          assertThat(best(model)).as("dwell %d, seed %d", dwell, seed).isBetween(192L, 320L);
        }
      }
    }
    assertThat(logsThatReachBothSides).isGreaterThan(50);
  }

  @Test
  void syntheticLog_rowByRow_planIsWithinOneStepOf256() {
    for (long seed = 0; seed < 10; seed++) {
      TaskTimeModels models = new TaskTimeModels();
      log("kmeans", TaskTimeModelTest::bowl, 300, 6, seed).forEach(models::add);
      TaskTimeModel model = models.of("kmeans").orElseThrow();
      assertThat(best(model)).as("seed %d", seed).isBetween(192L, 320L);
    }
  }

  @Test
  void twoJobTypes_haveTwoModels() {
    TaskTimeModels models = new TaskTimeModels();
    List<DonationRow> rows = log("kmeans", TaskTimeModelTest::bowl, 200, 4, 1);
    rows.addAll(log("svd", s -> 10 - s / 100, 200, 4, 2));
    Collections.shuffle(rows, new Random(3));
    rows.forEach(models::add);

    assertThat(best(models.of("kmeans").orElseThrow())).isBetween(192L, 320L);
    TaskTimeModel svd = models.of("svd").orElseThrow();
    assertThat(best(svd)).isEqualTo(512);
    assertThat(svd.seconds(0, AT)).isCloseTo(10, within(0.5));
    assertThat(models.of("pagerank")).isEmpty();
  }

  @Test
  void inputsWithoutASay_areLeftOut_thoseWithOneAreFound() {
    List<DonationRow> idle = log("a", TaskTimeModelTest::bowl, 200, 1, 4);
    assertThat(TaskTimeModel.fit(idle).orElseThrow().inputs()).isEqualTo(1);

    SplittableRandom random = new SplittableRandom(5);
    List<DonationRow> rows = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int executors = random.nextInt(1, 9);
      double s = 64 * random.nextInt(9);
      rows.add(new DonationRow("a", s, steady(4096, executors, 5), 5 * executors + s / 64));
    }
    TaskTimeModel model = TaskTimeModel.fit(rows).orElseThrow();
    assertThat(model.inputs()).isEqualTo(2);
    assertThat(model.seconds(256, steady(4096, 3, 5))).isCloseTo(19, within(0.5));
    assertThat(model.seconds(256, steady(4096, 8, 5))).isCloseTo(44, within(0.5));
  }

  @Test
  void lagsOfTheTaskTime_areFollowedUntilItSettles() {
    SplittableRandom random = new SplittableRandom(6);
    List<DonationRow> rows = new ArrayList<>();
    double y1 = 10;
    double y2 = 10;
    for (int i = 0; i < 300; i++) {
      double s = 64 * random.nextInt(9);
      double y = 0.6 * y1 + 4 - s / 256 + random.nextDouble(-0.01, 0.01);
      rows.add(new DonationRow("a", s, new TaskConditions(4096, 2, 0, y1, y2, 4096, 4096), y));
      y2 = y1;
      y1 = y;
    }
    TaskTimeModel model = TaskTimeModel.fit(rows).orElseThrow();

    assertThat(model.inputs()).isGreaterThan(1);
    assertThat(model.seconds(256, steady(4096, 2, 9))).isCloseTo(7.5, within(0.2));
    assertThat(model.seconds(256, steady(4096, 2, 6))).isCloseTo(7.5, within(0.2));
  }

  @Test
  void oneRow_orOneDonation_isNotReady() {
    List<DonationRow> log = log("a", TaskTimeModelTest::bowl, 100, 1, 7);
    assertThat(TaskTimeModel.fit(List.of())).isEmpty();
    assertThat(TaskTimeModel.fit(log.subList(0, 1))).isEmpty();
    assertThat(TaskTimeModel.fit(log.subList(0, 7))).isEmpty();
    List<DonationRow> constant =
        log.stream()
            .map(row -> new DonationRow("a", 256, row.conditions(), row.seconds()))
            .toList();
    assertThat(TaskTimeModel.fit(constant)).isEmpty();
    TaskTimeModels models = new TaskTimeModels();
    constant.forEach(models::add);
    assertThat(models.of("a")).isEmpty();
  }

  @Test
  void fewRowsWithTwoDonations_areALine() {
    List<DonationRow> rows = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      double s = i % 2 == 0 ? 0 : 128;
      rows.add(new DonationRow("a", s, AT, 10 - s / 64));
    }
    TaskTimeModel model = TaskTimeModel.fit(rows).orElseThrow();

    assertThat(model.seconds(64, AT)).isCloseTo(9, within(1e-3));
    assertThat(model.seconds(192, AT)).as("the line goes on").isCloseTo(7, within(1e-3));
    assertThat(model.seconds(4096, AT)).as("not for ever").isCloseTo(7, within(1e-3));
    assertThat(model.lowMib()).isZero();
    assertThat(model.highMib()).isEqualTo(128);
  }

  @Test
  void worldThatChanges_isFollowed() {
    TaskTimeModels models = new TaskTimeModels();
    log("a", s -> 40 - s / 16, 200, 3, 8).forEach(models::add);
    assertThat(best(models.of("a").orElseThrow())).isEqualTo(512);
    log("a", s -> 10 + s / 16, 400, 3, 9).forEach(models::add);
    assertThat(best(models.of("a").orElseThrow())).isZero();
  }

  @Test
  void longStayAtOneDonation_forgetsNoOther() {
    TaskTimeModels models = new TaskTimeModels();
    log("a", TaskTimeModelTest::bowl, 200, 3, 10).forEach(models::add);
    log("a", TaskTimeModelTest::bowl, 5000, 5000, 11).forEach(models::add);
    assertThat(best(models.of("a").orElseThrow())).isBetween(192L, 320L);
  }

  @Test
  void types_areForgottenOldestFirst_beyond64() {
    TaskTimeModels models = new TaskTimeModels();
    for (int i = 0; i < 100; i++) {
      log("type " + i, TaskTimeModelTest::bowl, 20, 1, 12).forEach(models::add);
    }
    assertThat(models.of("type 0")).isEmpty();
    assertThat(models.of("type 99")).isPresent();
  }
}
