package io.idlalayer.modelcontroller.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.quality.QualitySettings.Detector;
import java.io.IOException;
import java.io.InputStream;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class QualityRegretTest {
  private static void feed(QualityRegret regret, SplittableRandom random, int n, double mean) {
    for (int i = 0; i < n; i++) {
      regret.observe(2 * mean * random.nextDouble());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OFF")
  void aDriftMakesWaitingDearerUntilTheLossIsWonBack(Detector detector) {
    QualityRegret regret = new QualityRegret(new QualitySettings(detector, 60));
    SplittableRandom random = new SplittableRandom(1);
    feed(regret, random, 3_000, 0.3);
    assertThat(regret.urgency()).isEqualTo(1);
    feed(regret, random, 600, 0.8);
    assertThat(regret.urgency()).isCloseTo(1 + 60 * 0.5, within(8.0));
    feed(regret, random, 1_000, 0.3);
    assertThat(regret.urgency()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OFF")
  void someUpdatesLaterTheNewLevelIsTheLevel(Detector detector) {
    QualityRegret regret = new QualityRegret(new QualitySettings(detector, 60));
    SplittableRandom random = new SplittableRandom(2);
    feed(regret, random, 3_000, 0.3);
    feed(regret, random, 600, 0.8);
    assertThat(regret.urgency()).isGreaterThan(10);
    int updates = 1;
    while (!regret.updated()) {
      updates++;
    }
    assertThat(updates).isEqualTo(5);
    feed(regret, random, 3_000, 0.8);
    assertThat(regret.urgency()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OFF")
  void aFallingLossIsNoDrift(Detector detector) {
    QualityRegret regret = new QualityRegret(new QualitySettings(detector, 60));
    SplittableRandom random = new SplittableRandom(3);
    feed(regret, random, 3_000, 0.8);
    feed(regret, random, 3_000, 0.2);
    assertThat(regret.urgency()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aRestoredOneGoesOnTheSame(Detector detector) {
    QualitySettings settings = new QualitySettings(detector, 60);
    QualityRegret one = new QualityRegret(settings);
    SplittableRandom random = new SplittableRandom(4);
    feed(one, random, 3_000, 0.3);
    feed(one, random, 300, 0.9);
    QualityRegret two = new QualityRegret(settings);
    two.restore(one.snapshot());
    for (int i = 0; i < 2_000; i++) {
      double loss = random.nextDouble();
      assertThat(two.observe(loss)).isEqualTo(one.observe(loss));
      assertThat(two.urgency()).isEqualTo(one.urgency());
    }
  }

  @Test
  void aSnapshotOfFormat1IsStillRead() throws IOException {
    byte[] format1;
    try (InputStream in = getClass().getResourceAsStream("quality-regret-1.bin")) {
      format1 = in.readAllBytes();
    }
    QualityRegret read = new QualityRegret(new QualitySettings(Detector.PAGE_HINKLEY, 60));
    read.restore(format1);
    assertThat(read.urgency()).isGreaterThan(50);
    assertThat(read.snapshot()).isEqualTo(format1);
  }

  @Test
  void anotherDetectorStartsAfresh() {
    QualityRegret adwin = new QualityRegret(new QualitySettings(Detector.ADWIN, 60));
    feed(adwin, new SplittableRandom(5), 100, 0.3);
    QualityRegret other = new QualityRegret(new QualitySettings(Detector.PAGE_HINKLEY, 60));
    other.restore(adwin.snapshot());
    assertThat(other.urgency()).isEqualTo(1);
  }

  @Test
  void offNeverChangesAnything() {
    QualityRegret off = new QualityRegret(QualitySettings.defaults());
    assertThat(off.observe(1e9)).isFalse();
    assertThat(off.observe(Double.NaN)).isFalse();
    assertThat(off.updated()).isFalse();
    assertThat(off.urgency()).isEqualTo(1);
  }
}
