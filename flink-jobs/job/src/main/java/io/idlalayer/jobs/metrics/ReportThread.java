package io.idlalayer.jobs.metrics;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that passes metrics, spans and events to Flink's registry. The registry calls the
 * reporters while it holds its lock. A reporter that hangs must not delay learning, so a separate
 * thread makes these calls. The thread ends when its queue has been empty for a while. Reports that
 * do not fit into the queue are dropped and counted.
 */
public final class ReportThread implements AutoCloseable {
  static final int MOST_QUEUED = 256;
  private static final Logger LOG = LoggerFactory.getLogger(ReportThread.class);
  private static final long IDLE_SECONDS = 10;

  private final Executor executor;
  private final Runnable end;
  private final AtomicLong dropped = new AtomicLong();

  private ReportThread(Executor executor, Runnable end) {
    this.executor = executor;
    this.end = end;
  }

  /** Returns a report thread with this name. It is a daemon thread. */
  public static ReportThread named(String name) {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_QUEUED),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    one.allowCoreThreadTimeOut(true);
    return new ReportThread(one, one::shutdownNow);
  }

  /** Returns an object that makes each report at once, on the calling thread. */
  static ReportThread calling() {
    return new ReportThread(Runnable::run, () -> {});
  }

  /** Queues a report. Returns false if the report was dropped because the queue is full. */
  boolean offer(Runnable report) {
    try {
      executor.execute(() -> run(report));
      return true;
    } catch (RejectedExecutionException full) {
      dropped.incrementAndGet();
      return false;
    }
  }

  private static void run(Runnable report) {
    try {
      report.run();
    } catch (RuntimeException failed) {
      LOG.warn("A reporter of metrics failed", failed);
    }
  }

  /** Returns the number of reports that were dropped because the queue was full. */
  long dropped() {
    return dropped.get();
  }

  /**
   * Drops the queued reports and interrupts the running report. Does not wait until the thread has
   * ended.
   */
  @Override
  public void close() {
    end.run();
  }
}
