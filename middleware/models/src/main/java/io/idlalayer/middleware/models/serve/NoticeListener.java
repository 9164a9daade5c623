package io.idlalayer.middleware.models.serve;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for notices of new versions on a thread of its own, so that a source that hangs or fails
 * does not delay the looks at the pointer. Closes a source that fails and, after a pause, opens
 * another one.
 */
final class NoticeListener implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(NoticeListener.class);
  private static final Duration TURN = Duration.ofSeconds(1);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;

  private final NoticeSource.Opener opener;
  private final Runnable onNotice;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile boolean closed;
  private volatile String lastError = "";
  private final AtomicLong failures = new AtomicLong();

  NoticeListener(NoticeSource.Opener opener, Runnable onNotice) {
    this.opener = opener;
    this.onNotice = onNotice;
  }

  /** Returns the reason why the last source of notices failed, "" while one works. */
  String lastError() {
    return lastError;
  }

  /** Returns how often a source of notices failed so far. */
  long failures() {
    return failures.get();
  }

  /** Makes {@link #run} end at its next turn; interrupt its thread to end it soon. */
  void close() {
    closed = true;
    closing.countDown();
  }

  @Override
  public void run() {
    long pauseMillis = FIRST_PAUSE_MILLIS;
    while (!closed) {
      NoticeSource source = null;
      try {
        source = opener.open();
        // A check of the pointer finds the versions that were published before the source opened.
        onNotice.run();
        while (!closed) {
          if (source.await(TURN)) {
            onNotice.run();
          }
          lastError = "";
          pauseMillis = FIRST_PAUSE_MILLIS;
        }
      } catch (InterruptedException interrupted) {
        // Only close() ends this thread; the loop looks.
        LOG.debug("interrupted while waiting for notices");
      } catch (Throwable failed) {
        note(failed);
      } finally {
        close(source);
      }
      pauseMillis = pause(pauseMillis);
    }
  }

  private void note(Throwable cause) {
    if (closed) {
      return;
    }
    failures.incrementAndGet();
    String reason = Failures.text(cause);
    if (!reason.equals(lastError)) {
      LOG.warn("no notices of new models, the pointer is looked at meanwhile: {}", reason);
    }
    lastError = reason;
  }

  private void close(@Nullable NoticeSource source) {
    // Some clients refuse to close on an interrupted thread.
    Thread.interrupted();
    try {
      if (source != null) {
        source.close();
      }
    } catch (Throwable failed) {
      LOG.debug("a source of notices that failed cannot be closed: {}", Failures.text(failed));
    }
  }

  private long pause(long millis) {
    try {
      if (!closed) {
        closing.await(millis, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException interrupted) {
      LOG.debug("interrupted between notice sources");
    }
    return Math.min(LONGEST_PAUSE_MILLIS, millis * 2);
  }
}
