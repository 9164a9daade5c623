package io.idlalayer.benchmarks.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Draws of Zipf's law, and ids made of them. */
final class ZipfRanksTest {
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.8, 1, 1.2})
  void next_manyDraws_followTheLaw(double exponent) {
    int draws = 200_000;
    ZipfRanks ranks = new ZipfRanks(50, exponent, 1);
    int[] counts = new int[51];
    for (int i = 0; i < draws; i++) {
      counts[ranks.next()]++;
    }
    double all = IntStream.rangeClosed(1, 50).mapToDouble(r -> Math.pow(r, -exponent)).sum();
    for (int rank : new int[] {1, 2, 10, 50}) {
      assertThat((double) counts[rank] / draws)
          .isCloseTo(Math.pow(rank, -exponent) / all, within(0.005));
    }
  }

  @Test
  void idOf_allRanks_isBijection() {
    int rows = 10_000;
    int[] ids = IntStream.range(0, rows).map(rank -> IdStream.idOf(rank, rows)).toArray();
    assertThat(Arrays.stream(ids).distinct().count()).isEqualTo(rows);
  }
}
