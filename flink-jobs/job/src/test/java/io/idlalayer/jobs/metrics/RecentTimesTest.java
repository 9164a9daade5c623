package io.idlalayer.jobs.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.metrics.HistogramStatistics;
import org.junit.jupiter.api.Test;

final class RecentTimesTest {
  @Test
  void statistics_empty_areZero() {
    RecentTimes times = new RecentTimes();
    HistogramStatistics none = times.getStatistics();
    assertThat(times.getCount()).isZero();
    assertThat(none.size()).isZero();
    assertThat(none.getMin()).isZero();
    assertThat(none.getMax()).isZero();
    assertThat(none.getMean()).isZero();
    assertThat(none.getQuantile(0.99)).isZero();
    assertThat(none.getValues()).isEmpty();
  }

  @Test
  void statistics_ofAHundred_areExactToTwoDigits() {
    RecentTimes times = new RecentTimes();
    for (int i = 1; i <= 100; i++) {
      times.update(i);
    }
    HistogramStatistics all = times.getStatistics();
    assertThat(times.getCount()).isEqualTo(100);
    assertThat(all.getQuantile(0.5)).isEqualTo(50);
    assertThat(all.getQuantile(0.99)).isEqualTo(99);
    assertThat(all.getMean()).isEqualTo(50.5);
    assertThat(all.getMin()).isEqualTo(1);
    assertThat(all.getMax()).isEqualTo(100);
    assertThat(all.getValues()).hasSize(100).isSorted().startsWith(1, 2).endsWith(99, 100);
  }

  @Test
  void update_old_isForgottenAndCounted() {
    RecentTimes times = new RecentTimes();
    for (int i = 0; i < 1_000; i++) {
      times.update(7_000);
    }
    for (int i = 0; i < 2 * RecentTimes.SPAN; i++) {
      times.update(3);
    }
    assertThat(times.getCount()).isEqualTo(2_000);
    assertThat(times.getStatistics().getMax()).isEqualTo(3);
    assertThat(times.getStatistics().size()).isEqualTo(2 * RecentTimes.SPAN);
  }

  @Test
  void update_outOfRange_countsAsTheEdge() {
    RecentTimes times = new RecentTimes();
    times.update(-5);
    times.update(Long.MAX_VALUE);
    assertThat(times.getStatistics().getMin()).isZero();
    assertThat(times.getStatistics().getMax()).isGreaterThanOrEqualTo(7L * 24 * 3600 * 1000);
  }
}
