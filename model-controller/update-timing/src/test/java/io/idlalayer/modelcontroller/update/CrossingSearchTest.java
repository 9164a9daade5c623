package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CrossingSearchTest {
  @Test
  void first_anyCrossing_isFound() {
    for (int last = 1; last <= 40; last++) {
      for (int crossing = 1; crossing <= last; crossing++) {
        int wanted = crossing;
        assertThat(CrossingSearch.first(last, samples -> samples >= wanted)).isEqualTo(crossing);
      }
    }
  }

  @Test
  void first_noneCrosses_isTheLastWithoutAsking() {
    assertThat(
            CrossingSearch.first(
                8,
                samples -> {
                  assertThat(samples).isBetween(1, 7);
                  return false;
                }))
        .isEqualTo(8);
  }

  @Test
  void first_aMillion_asksTwentyTimesAtMost() {
    int[] asked = new int[1];
    int found =
        CrossingSearch.first(
            1_000_000,
            samples -> {
              asked[0]++;
              return samples >= 123_456;
            });
    assertThat(found).isEqualTo(123_456);
    assertThat(asked[0]).isLessThanOrEqualTo(20);
  }
}
