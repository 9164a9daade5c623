package io.idlalayer.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class WorkBudgetTest {
  private long nowNanos;
  private final WorkBudget budget = new WorkBudget(0.25, Duration.ofSeconds(2), () -> nowNanos);

  private void pass(long seconds) {
    nowNanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  private void spend(long seconds) {
    budget.spent(TimeUnit.SECONDS.toNanos(seconds));
  }

  private double waitSeconds() {
    return budget.waitNanos() / 1e9;
  }

  @Test
  void littleAtOnce_waitsForNothing() {
    spend(1);
    assertThat(budget.waitNanos()).isZero();
  }

  @Test
  void moreThanThereIs_isPaidBackAtTheRate() throws Exception {
    spend(3);
    assertThat(waitSeconds()).isBetween(4.0, 4.001);
    assertThat(budget.await(Duration.ofSeconds(3))).isFalse();
    pass(3);
    assertThat(waitSeconds()).isBetween(1.0, 1.001);
    pass(2);
    assertThat(budget.await(Duration.ZERO)).isTrue();
  }

  @Test
  void idleForLong_noMoreThanTheMostIsThere() {
    pass(1_000_000);
    spend(2);
    assertThat(waitSeconds()).isPositive();
  }

  @Test
  void overALongTime_theShareIsKept() {
    long spent = 0;
    for (int second = 0; second < 10_000; second++) {
      if (budget.waitNanos() == 0) {
        spend(7);
        spent += 7;
      }
      pass(1);
    }
    assertThat(spent).isBetween(2_490L, 2_510L);
  }
}
