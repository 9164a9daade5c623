package io.idlalayer.jobs.learner.publish;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class UnpublishedArrivalsTest {
  private static long[] plus(long[] before, long... more) {
    return new UnpublishedArrivals(before).plus(more, 4).atMillis();
  }

  @Test
  void plus_ofTooMany_keepsTheLast() {
    long[] none = {};
    assertThat(plus(none, 1, 2)).containsExactly(1, 2);
    assertThat(plus(new long[] {1, 2}, 3, 4)).containsExactly(1, 2, 3, 4);
    assertThat(plus(new long[] {1, 2}, 3, 4, 5)).containsExactly(2, 3, 4, 5);
    assertThat(plus(new long[] {1}, 2, 3, 4, 5, 6)).containsExactly(3, 4, 5, 6);
    assertThat(plus(new long[] {1, 2})).containsExactly(1, 2);
  }
}
