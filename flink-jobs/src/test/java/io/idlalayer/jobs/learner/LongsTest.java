package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LongsTest {
  @Test
  void concat_keepsTheLastOfTooMany() {
    long[] none = {};
    assertThat(Longs.concat(none, new long[] {1, 2}, 4)).containsExactly(1, 2);
    assertThat(Longs.concat(new long[] {1, 2}, new long[] {3, 4}, 4)).containsExactly(1, 2, 3, 4);
    assertThat(Longs.concat(new long[] {1, 2}, new long[] {3, 4, 5}, 4))
        .containsExactly(2, 3, 4, 5);
    assertThat(Longs.concat(new long[] {1}, new long[] {2, 3, 4, 5, 6}, 4))
        .containsExactly(3, 4, 5, 6);
    assertThat(Longs.concat(new long[] {1, 2}, none, 4)).containsExactly(1, 2);
  }
}
