package io.idlalayer.modelcontroller.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.modelcontroller.drift.DriftSettings.Detector;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DriftUrgencyTest {
  private static void feed(DriftUrgency regret, SplittableRandom random, int n, double mean) {
    for (int i = 0; i < n; i++) {
      regret.observe(2 * mean * random.nextDouble());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OFF")
  void urgency_drift_risesUntilTheLossRecovers(Detector detector) {
    DriftUrgency regret = new DriftUrgency(new DriftSettings(detector, 60));
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
  void updated_fiveUpdatesAfterADrift_acceptsTheNewLevel(Detector detector) {
    DriftUrgency regret = new DriftUrgency(new DriftSettings(detector, 60));
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
  void observe_fallingLoss_isNoDrift(Detector detector) {
    DriftUrgency regret = new DriftUrgency(new DriftSettings(detector, 60));
    SplittableRandom random = new SplittableRandom(3);
    feed(regret, random, 3_000, 0.8);
    for (int i = 0; i < 3_000; i++) {
      feed(regret, random, 1, 0.2);
      assertThat(regret.isOpen()).isFalse();
    }
    assertThat(regret.urgency()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void restore_snapshot_goesOnAlike(Detector detector) {
    DriftSettings settings = new DriftSettings(detector, 60);
    DriftUrgency one = new DriftUrgency(settings);
    SplittableRandom random = new SplittableRandom(4);
    feed(one, random, 3_000, 0.3);
    feed(one, random, 300, 0.9);
    DriftUrgency two = new DriftUrgency(settings);
    two.restore(one.snapshot());
    for (int i = 0; i < 2_000; i++) {
      double loss = random.nextDouble();
      assertThat(two.observe(loss)).isEqualTo(one.observe(loss));
      assertThat(two.urgency()).isEqualTo(one.urgency());
    }
  }

  @ParameterizedTest
  @EnumSource
  void restore_damagedSnapshot_isRefusedWithAReason(Detector detector) {
    DriftUrgency urgency = new DriftUrgency(new DriftSettings(detector, 60));
    byte[] whole = urgency.snapshot();
    for (int length : new int[] {0, 1, 2, 20, whole.length - 1, whole.length + 1}) {
      assertThatThrownBy(() -> urgency.restore(Arrays.copyOf(whole, length)))
          .isInstanceOf(UnreadableStateException.class)
          .hasMessageContaining("drift urgency");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OFF")
  void observe_oneWildLoss_doesNotEndADrift(Detector detector) {
    for (double wild : new double[] {50, 500, 1e6, 1e30}) {
      DriftUrgency regret = new DriftUrgency(new DriftSettings(detector, 60));
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
  void urgency_largeExchangeRate_isAtMostAThousand(Detector detector) {
    DriftUrgency regret = new DriftUrgency(new DriftSettings(detector, 1e6));
    SplittableRandom random = new SplittableRandom(7);
    feed(regret, random, 3_000, 0.3);
    feed(regret, random, 600, 0.8);
    assertThat(regret.urgency()).isEqualTo(1000);
  }

  @Test
  void settings_invalidExchangeRate_isRefused() {
    for (double bad : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new DriftSettings(Detector.ADWIN, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("secondsPerLoss");
    }
  }

  @Test
  void restore_snapshotOfAnotherDetector_startsAfresh() {
    DriftUrgency adwin = new DriftUrgency(new DriftSettings(Detector.ADWIN, 60));
    feed(adwin, new SplittableRandom(5), 100, 0.3);
    DriftUrgency other = new DriftUrgency(new DriftSettings(Detector.PAGE_HINKLEY, 60));
    other.restore(adwin.snapshot());
    assertThat(other.urgency()).isEqualTo(1);
  }

  @Test
  void observe_off_changesNothing() {
    DriftUrgency off = new DriftUrgency(DriftSettings.defaults());
    assertThat(off.observe(1e9)).isFalse();
    assertThat(off.observe(Double.NaN)).isFalse();
    assertThat(off.updated()).isFalse();
    assertThat(off.urgency()).isEqualTo(1);
  }
}
