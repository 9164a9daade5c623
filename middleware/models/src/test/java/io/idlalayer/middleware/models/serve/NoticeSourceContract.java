package io.idlalayer.middleware.models.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What every source of notices does. The sources under test are for partition 1 of "app". */
public abstract class NoticeSourceContract {
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofMinutes(5);

  /** Opens a source for partition 1 of "app". */
  protected abstract NoticeSource open() throws Exception;

  /** Sends a notice and returns when it is sent. */
  protected abstract void send(String application, int partition) throws Exception;

  @Test
  void await_noNotice_isFalse() throws Exception {
    try (NoticeSource source = open()) {
      assertThat(source.await(SHORT)).isFalse();
      assertThat(source.await(Duration.ZERO)).isFalse();
    }
  }

  @Test
  void await_noticeSentAfterOpening_isTrue() throws Exception {
    try (NoticeSource source = open()) {
      send("app", 1);
      assertThat(source.await(LONG)).isTrue();
      assertThat(source.await(SHORT)).isFalse();
      send("app", 1);
      assertThat(source.await(LONG)).isTrue();
    }
  }

  @Test
  void await_noticeSentWhileWaiting_isTrue() throws Exception {
    ExecutorService background = Executors.newSingleThreadExecutor();
    try (NoticeSource source = open()) {
      Future<?> sent =
          background.submit(
              () -> {
                send("app", 1);
                return null;
              });
      assertThat(source.await(LONG)).isTrue();
      sent.get();
    } finally {
      background.shutdownNow();
    }
  }

  @Test
  void await_noticeSentBeforeOpening_isFalse() throws Exception {
    send("app", 1);
    try (NoticeSource source = open()) {
      assertThat(source.await(SHORT)).isFalse();
    }
  }

  @Test
  void await_noticesOfOtherModels_areNotReported() throws Exception {
    try (NoticeSource source = open()) {
      send("app", 0);
      send("app2", 1);
      for (int turn = 0; turn < 5; turn++) {
        assertThat(source.await(SHORT)).isFalse();
      }
      send("app", 1);
      assertThat(reported(source)).isTrue();
    }
  }

  @Test
  void await_severalNotices_areReported() throws Exception {
    try (NoticeSource source = open()) {
      for (int i = 0; i < 100; i++) {
        send("app", 1);
      }
      assertThat(source.await(LONG)).isTrue();
    }
  }

  @Test
  void await_twoSources_bothReport() throws Exception {
    try (NoticeSource one = open();
        NoticeSource other = open()) {
      send("app", 1);
      assertThat(one.await(LONG)).isTrue();
      assertThat(other.await(LONG)).isTrue();
    }
  }

  @Test
  void await_interruptedThread_throwsAndTheSourceCloses() throws Exception {
    try (NoticeSource source = open()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> source.await(LONG)).isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Test
  void close_twice_isHarmless() throws Exception {
    NoticeSource source = open();
    source.close();
    source.close();
    try (NoticeSource next = open()) {
      send("app", 1);
      assertThat(next.await(LONG)).isTrue();
    }
  }

  /** A source may return before the time is over, with nothing to report. */
  private static boolean reported(NoticeSource source) throws InterruptedException {
    for (int turn = 0; turn < 100; turn++) {
      if (source.await(LONG)) {
        return true;
      }
    }
    return false;
  }
}
