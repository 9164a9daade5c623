package io.idlalayer.jobs.learner.update;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FirstTrainingsTest {
  @Test
  void add_moreThanAreRemembered_forgetsTheOldestBeyondTheLimit() {
    FirstTrainings trained = new FirstTrainings();
    trained.add(1, new long[FirstTrainings.MOST - 1]);
    trained.add(2, new long[] {5});
    trained.add(3, new long[] {6, 7});
    assertThat(trained.takeAfter(0)).containsExactly(5, 6, 7);
    assertThat(trained.takeAfter(0)).isEmpty();
  }
}
