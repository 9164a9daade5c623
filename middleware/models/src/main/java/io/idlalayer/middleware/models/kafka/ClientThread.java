package io.idlalayer.middleware.models.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that works with a Kafka client, for which no other thread waits. After a failure,
 * also an error, it opens another client, with pauses that double up to 30 s. One line is logged
 * when the work fails, and one when it succeeds again. Any thread.
 *
 * @param <C> the client
 */
public final class ClientThread<C> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientThread.class);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;
  private static final long CLOSE_MILLIS = 3_000;
  private static final Duration CLOSING = Duration.ofSeconds(1);

  private final String subject;
  private final Work<C> work;
  private final Thread thread;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile String lastError = "";

  // Confined to the thread.
  private boolean failing;
  private long pauseMillis = FIRST_PAUSE_MILLIS;

  /**
   * What the thread does.
   *
   * @param <C> the client
   */
  public interface Work<C> {
    /**
     * Opens a client.
     *
     * @throws Exception if that is not possible now; the thread tries again later
     */
    C open() throws Exception;

    /**
     * Works until the thread is to end, see {@link Turn#awaitClosing}.
     *
     * @throws Exception if the client has failed; the thread opens another one
     */
    void run(C client, Turn turn) throws Exception;

    /**
     * Closes a client.
     *
     * @param longest the longest time that this may take
     */
    void close(C client, Duration longest);
  }

  /** What the work tells the thread, and the thread the work. */
  public interface Turn {
    /** Records that the client works, so that the next pause is a short one. */
    void succeeded();

    /** Returns whether the thread is to end. */
    boolean closing();

    /** Waits; returns at once, and true, if the thread is to end. */
    boolean awaitClosing(long millis) throws InterruptedException;
  }

  private final class OwnTurn implements Turn {
    @Override
    public void succeeded() {
      if (failing) {
        LOG.info("{} again", subject);
      }
      failing = false;
      lastError = "";
      pauseMillis = FIRST_PAUSE_MILLIS;
    }

    @Override
    public boolean closing() {
      return closing.getCount() == 0;
    }

    @Override
    public boolean awaitClosing(long millis) throws InterruptedException {
      return closing.await(millis, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * @param name name of the thread
   * @param subject what the thread does, after "no" and before "again" in lines of the log
   */
  public ClientThread(String name, String subject, Work<C> work) {
    this.subject = subject;
    this.work = work;
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  /** Starts the thread. */
  public void start() {
    thread.start();
  }

  /** Returns why the work has failed, "" since it has succeeded. */
  public String lastError() {
    return lastError;
  }

  private void run() {
    try {
      Turn turn = new OwnTurn();
      while (!turn.closing()) {
        attempt(turn);
      }
    } finally {
      ended.complete(null);
    }
  }

  private void attempt(Turn turn) {
    C client = null;
    boolean done = false;
    try {
      client = work.open();
      work.run(client, turn);
      done = true;
    } catch (InterruptedException interrupted) {
      // Only close() ends this thread; the loop looks.
      LOG.debug("interrupted: {}", subject);
    } catch (Throwable failed) {
      note(failed);
    } finally {
      close(client, done);
    }
    pause();
  }

  private void note(Throwable failed) {
    String reason = KafkaReasons.text(failed);
    if (!failing && closing.getCount() > 0) {
      LOG.warn("no {}, tried again from time to time: {}", subject, reason);
    }
    failing = true;
    lastError = reason;
  }

  private void close(@Nullable C client, boolean done) {
    // Some clients refuse to close on an interrupted thread.
    Thread.interrupted();
    try {
      if (client != null) {
        work.close(client, done ? CLOSING : Duration.ZERO);
      }
    } catch (Throwable failed) {
      LOG.debug("a client that failed cannot be closed", failed);
    }
  }

  private void pause() {
    try {
      closing.await(pauseMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      LOG.debug("interrupted between two attempts: {}", subject);
    }
    pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
  }

  /** Ends the thread. Takes 4 s at most; work that hangs ends later. */
  @Override
  public void close() {
    closeAll(List.of(this));
  }

  /** Ends several threads at the same time, which takes at most 4 s altogether. */
  public static <C> void closeAll(Collection<ClientThread<C>> threads) {
    threads.forEach(each -> each.closing.countDown());
    CompletableFuture<Void> all =
        CompletableFuture.allOf(
            threads.stream().map(each -> each.ended).toArray(CompletableFuture<?>[]::new));
    try {
      if (!done(all, CLOSE_MILLIS)) {
        threads.forEach(each -> each.thread.interrupt());
        done(all, CLOSING.toMillis());
      }
    } catch (InterruptedException interrupted) {
      // The threads end by themselves soon.
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for a number of tasks, up to a time limit; returns whether all have ended. */
  private static boolean done(Future<?> all, long longestMillis) throws InterruptedException {
    try {
      all.get(longestMillis, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
