package io.idlalayer.modelcontroller.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.quality.QualitySettings.Detector;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
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
    for (int i = 0; i < 3_000; i++) {
      feed(regret, random, 1, 0.2);
      assertThat(regret.snapshot()[2]).as("open").isZero();
    }
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

  private static byte[] fixture(String name) throws IOException {
    try (InputStream in = QualityRegretTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  @Test
  void aSnapshotOfFormat1FromAdwinIsStillReadAndGoesOn() throws IOException {
    byte[] format1 = fixture("quality-regret-1-adwin.bin");
    QualityRegret read = new QualityRegret(new QualitySettings(Detector.ADWIN, 60));
    read.restore(format1);
    assertThat(read.urgency()).isCloseTo(55.55575643905683, within(1e-12));
    assertThat(read.snapshot()).isEqualTo(format1);
    feed(read, new SplittableRandom(1), 1_000, 0.3);
    assertThat(read.urgency()).isEqualTo(1);
  }

  @Test
  void aSnapshotOfFormat1WithoutADetectorIsStillRead() throws IOException {
    byte[] format1 = fixture("quality-regret-1-off.bin");
    QualityRegret read = new QualityRegret(QualitySettings.defaults());
    read.restore(format1);
    assertThat(read.snapshot()).isEqualTo(format1);
  }

  @Test
  void aSnapshotOfFormat1ThatRemembersMoreThanTheHorizonStillFindsADrift() throws IOException {
    QualityRegret read = new QualityRegret(new QualitySettings(Detector.PAGE_HINKLEY, 60));
    read.restore(fixture("quality-regret-1-page-hinkley-long.bin"));
    SplittableRandom random = new SplittableRandom(1);
    feed(read, random, 5_000, 0.3);
    assertThat(read.urgency()).isEqualTo(1);
    feed(read, random, 300, 0.8);
    assertThat(read.urgency()).isGreaterThan(10);
  }

  @ParameterizedTest
  @EnumSource
  void aDamagedSnapshotIsRefusedInWords(Detector detector) {
    QualityRegret regret = new QualityRegret(new QualitySettings(detector, 60));
    byte[] whole = regret.snapshot();
    for (int length : new int[] {0, 1, 2, 20, whole.length - 1, whole.length + 1}) {
      assertThatThrownBy(() -> regret.restore(Arrays.copyOf(whole, length)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("bytes");
    }
    byte[] later = whole.clone();
    later[0] = 2;
    assertThatThrownBy(() -> regret.restore(later)).hasMessageContaining("version 2");
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OFF")
  void oneWildLossDoesNotEndADrift(Detector detector) {
    for (double wild : new double[] {50, 500, 1e6, 1e30}) {
      QualityRegret regret = new QualityRegret(new QualitySettings(detector, 60));
      SplittableRandom random = new SplittableRandom(6);
      feed(regret, random, 3_000, 0.3);
      feed(regret, random, 600, 0.8);
      regret.observe(wild);
      for (int i = 0; i < 1_500; i++) {
        feed(regret, random, 1, 0.8);
        assertThat(regret.urgency()).as("wild %s, %d later", wild, i).isGreaterThan(15);
      }
      feed(regret, random, 1_000, 0.3);
      assertThat(regret.urgency()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OFF")
  void theUrgencyIsAtMostAThousand(Detector detector) {
    QualityRegret regret = new QualityRegret(new QualitySettings(detector, 1e6));
    SplittableRandom random = new SplittableRandom(7);
    feed(regret, random, 3_000, 0.3);
    feed(regret, random, 600, 0.8);
    assertThat(regret.urgency()).isEqualTo(1000);
  }

  @Test
  void anExchangeRateThatIsNoneIsRefused() {
    for (double bad : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new QualitySettings(Detector.ADWIN, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("secondsPerLoss");
    }
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
