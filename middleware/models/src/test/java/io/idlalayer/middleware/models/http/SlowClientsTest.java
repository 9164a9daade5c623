package io.idlalayer.middleware.models.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interruptions of exchanges; this test's thread is the one that has an exchange. */
@Timeout(60)
final class SlowClientsTest {
  private static final Duration PATIENCE = Duration.ofMillis(20);

  @AfterEach
  void clear() {
    Thread.interrupted();
  }

  private static SlowClients watching(Duration longest) {
    SlowClients slow = new SlowClients(PATIENCE, longest, () -> false);
    watch(slow);
    return slow;
  }

  private static void watch(SlowClients slow) {
    Thread watch = new Thread(slow, "slow-clients-test");
    watch.setDaemon(true);
    watch.start();
  }

  private static void untilInterrupted() {
    while (!Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void progress_afterAnInterruptionThatNothingNoticed_takesItBack() {
    try (SlowClients slow = watching(Duration.ofHours(1))) {
      slow.begin();
      untilInterrupted();
      slow.computing();
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      slow.progress();
      untilInterrupted();
      slow.end();
      assertThat(Thread.currentThread().isInterrupted()).as("the next exchange").isFalse();
    }
  }

  @Test
  void computing_longerThanAnExchangeMay_isInterrupted() {
    try (SlowClients slow = watching(Duration.ofMillis(50))) {
      slow.begin();
      slow.computing();
      untilInterrupted();
      slow.progress();
      assertThat(Thread.currentThread().isInterrupted()).as("progress does not help").isTrue();
      slow.end();
    }
  }

  /** Others wait for the thread, so the client does not have the whole patience. */
  @Test
  void begin_whileOthersWait_isInterruptedEarlier() {
    Duration patience = Duration.ofSeconds(10);
    try (SlowClients slow = new SlowClients(patience, Duration.ofHours(1), () -> true)) {
      watch(slow);
      slow.begin();
      long start = System.nanoTime();
      untilInterrupted();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(patience);
      slow.end();
    }
  }

  @Test
  void received_whileOthersWait_leavesTheWholePatience() {
    Duration patience = Duration.ofMillis(200);
    try (SlowClients slow = new SlowClients(patience, Duration.ofHours(1), () -> true)) {
      watch(slow);
      slow.begin();
      slow.received();
      long start = System.nanoTime();
      untilInterrupted();
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThan(patience.minusMillis(10));
      slow.end();
    }
  }

  /** The server is closed. */
  @Test
  void progress_afterSomebodyElseInterrupts_keepsTheInterruption() {
    try (SlowClients slow = new SlowClients(PATIENCE, Duration.ofHours(1), () -> false)) {
      slow.begin();
      Thread.currentThread().interrupt();
      slow.progress();
      slow.computing();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      slow.end();
    }
  }
}
