package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.store.UnknownAliasException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two threads of a subscriber. The first looks at the store once per poll interval and whenever
 * a notice comes; the second waits for notices. Any thread may start and close a follower.
 */
final class Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long CLOSE_MILLIS = 10_000;

  private final ModelSubscriber.Subscription subscription;
  private final Look look;
  private final Consumer<String> refuse;

  /** Holds at most one notice, because one look at the store covers all earlier notices. */
  private final BlockingQueue<Boolean> news = new ArrayBlockingQueue<>(1);

  private volatile @Nullable NoticeListener listener;
  private volatile boolean closed;
  private List<Thread> threads = List.of();

  /** Looks at the store once; throws if the version to be served is refused. */
  @FunctionalInterface
  interface Look {
    void run() throws IOException;
  }

  /**
   * @param refuse receives the reasons of failures outside of looks at the store
   */
  Follower(ModelSubscriber.Subscription subscription, Look look, Consumer<String> refuse) {
    this.subscription = subscription;
    this.look = look;
    this.refuse = refuse;
  }

  /** Starts the threads, see {@link ModelSubscriber#start}. */
  synchronized void start(NoticeSource.@Nullable Opener notices, Consumer<String> onRefusal) {
    if (closed || !threads.isEmpty()) {
      throw new IllegalStateException(closed ? "closed already" : "started already");
    }
    List<Thread> started = new ArrayList<>();
    started.add(new Thread(() -> follow(onRefusal), "model-subscriber"));
    if (notices != null) {
      NoticeListener waiting = new NoticeListener(notices, () -> news.offer(true));
      listener = waiting;
      started.add(new Thread(waiting, "model-notices"));
    }
    threads = List.copyOf(started);
    for (Thread thread : started) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  /**
   * Returns the reason why no notices arrive; "" if notices arrive, or if no source of notices is
   * configured.
   */
  String noticesError() {
    NoticeListener notices = listener;
    return notices == null ? "" : notices.lastError();
  }

  /** Returns how often a source of notices failed so far. */
  long noticesFailed() {
    NoticeListener notices = listener;
    return notices == null ? 0 : notices.failures();
  }

  private void follow(Consumer<String> onRefusal) {
    long pollNanos = subscription.poll().toNanos();
    long pauseNanos = pollNanos;
    String told = "";
    while (!closed) {
      try {
        pauseNanos = Math.min(Math.max(LONGEST_PAUSE_NANOS, pollNanos), pauseNanos * 2);
        look.run();
        pauseNanos = pollNanos;
        told = "";
      } catch (UnknownAliasException unnamed) {
        // The store works, and a version can get the alias at any moment.
        pauseNanos = pollNanos;
        told = tell(unnamed, told, onRefusal);
      } catch (Throwable refused) {
        told = tell(refused, told, onRefusal);
      }
      try {
        news.poll(pauseNanos, TimeUnit.NANOSECONDS);
      } catch (InterruptedException interrupted) {
        // Only close() ends this thread; the loop looks.
        LOG.debug("interrupted while following {}", subscription.application());
      }
    }
  }

  /**
   * Logs and reports the reason for a refusal if the reason is new; returns the reason that was
   * reported last.
   */
  private String tell(Throwable refused, String told, Consumer<String> onRefusal) {
    String reason = Failures.text(refused);
    if (reason.equals(told) || closed) {
      return reason;
    }
    try {
      LOG.warn("{}/{}: {}", subscription.application(), subscription.partition(), reason);
      onRefusal.accept(reason);
    } catch (Throwable failed) {
      refuse.accept(reason + "; the listener for refusals failed, too: " + Failures.text(failed));
    }
    return reason;
  }

  /** Stops both threads and waits for them, 10 s at most. */
  void close() {
    List<Thread> running;
    synchronized (this) {
      closed = true;
      running = threads;
    }
    NoticeListener notices = listener;
    if (notices != null) {
      notices.close();
    }
    running.forEach(Thread::interrupt);
    join(running);
  }

  private static void join(List<Thread> running) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
    for (Thread thread : running) {
      try {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
