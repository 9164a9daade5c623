package io.idlalayer.benchmarks.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class IncorporationTest {
  private final Incorporation times = new Incorporation(new long[] {100, 1_100, 2_100});

  @Test
  void published_twoUpdates_addsUpTheWaitOfEachSample() {
    times.published(2, 2_100);
    assertThat(times.complete()).isFalse();
    times.published(1, 5_100);
    assertThat(times.complete()).isTrue();
    assertThat(times.updates()).isEqualTo(2);
    assertThat(times.waitSeconds()).as("2 s and 1 s, then 3 s").isEqualTo(6);
    assertThat(times.meanWaitSeconds()).isEqualTo(2);
    assertThat(times.lastWaitSeconds()).isEqualTo(3);
    assertThat(times.elapsedSeconds()).as("from the first arrival").isEqualTo(5);
  }

  @Test
  void published_withoutNewSamples_countsAsAnUpdate() {
    times.published(1, 200);
    times.published(0, 300);
    assertThat(times.updates()).isEqualTo(2);
    assertThat(times.publishedSamples()).isEqualTo(1);
    assertThat(times.meanWaitSeconds()).isEqualTo(0.1);
  }

  @Test
  void published_beforeTheArrival_isRefused() {
    assertThatThrownBy(() -> times.published(2, 1_000))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("trained 2 samples after 0");
    assertThatThrownBy(() -> times.published(4, 9_000)).isInstanceOf(IllegalStateException.class);
  }
}
