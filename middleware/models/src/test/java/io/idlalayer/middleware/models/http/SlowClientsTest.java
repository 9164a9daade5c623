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
    SlowClients slow = new SlowClients(PATIENCE, longest);
    Thread watch = new Thread(slow, "slow-clients-test");
    watch.setDaemon(true);
    watch.start();
    return slow;
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

  /** The server is closed. */
  @Test
  void progress_afterSomebodyElseInterrupts_keepsTheInterruption() {
    try (SlowClients slow = new SlowClients(PATIENCE, Duration.ofHours(1))) {
      slow.begin();
      Thread.currentThread().interrupt();
      slow.progress();
      slow.computing();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      slow.end();
    }
  }
}
