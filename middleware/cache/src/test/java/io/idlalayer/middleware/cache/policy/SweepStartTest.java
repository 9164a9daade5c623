package io.idlalayer.middleware.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SweepStartTest {
  private static SweepStart filledAfter(int references, int hits) {
    SweepStart start = new SweepStart();
    for (int i = 0; i < references; i++) {
      start.referenced(i < hits, 1);
    }
    start.filled();
    return start;
  }

  @Test
  void filled_withoutHits_isASweep() {
    assertThat(filledAfter(1000, 19).sweeping()).isTrue();
    assertThat(filledAfter(1000, 20).sweeping()).isFalse();
  }

  @Test
  void referenced_longRunsOfHits_staysASweep() {
    SweepStart start = filledAfter(1000, 0);
    for (int i = 0; i < 10_000; i++) {
      start.referenced(i % 1000 < 50, 1);
    }

    assertThat(start.sweeping()).isTrue();
  }

  @Test
  void referenced_scatteredHits_endsTheSweep() {
    SweepStart start = filledAfter(1000, 0);
    for (int i = 0; i < 40; i++) {
      start.referenced(i % 10 == 0, 1);
    }

    assertThat(start.sweeping()).isFalse();
  }

  @Test
  void restart_fillsAgain() {
    SweepStart start = filledAfter(1000, 0);
    start.restart();

    assertThat(start.filling()).isTrue();
    assertThat(start.sweeping()).isFalse();
  }
}
