package io.idlalayer.jobs.run;

import io.idlalayer.jobs.topics.InputTopics;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks every few seconds whether the broker answers and still has the input topics of a job. If
 * not, a consumer of Kafka only waits and gives no message. One check at a time runs, on a separate
 * thread. Only one thread calls the methods of this class.
 */
final class BrokerWatch implements AutoCloseable {
  /** Time between the beginnings of two checks. */
  static final Duration PAUSE = Duration.ofSeconds(10);

  private final InputTopics topics;
  private final Set<String> names;
  private final LongSupplier nanoTime;
  private final Executor looks;
  private final Runnable closing;
  private @Nullable CompletableFuture<String> running;
  private long beganNanos;
  private String last = "";

  /**
   * @param names the input topics
   */
  static BrokerWatch of(InputTopics topics, Set<String> names) {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread made = new Thread(task, "broker-watch");
              made.setDaemon(true);
              return made;
            });
    return new BrokerWatch(topics, names, System::nanoTime, thread, thread::shutdownNow);
  }

  BrokerWatch(
      InputTopics topics,
      Set<String> names,
      LongSupplier nanoTime,
      Executor looks,
      Runnable closing) {
    this.topics = topics;
    this.names = Set.copyOf(names);
    this.nanoTime = nanoTime;
    this.looks = looks;
    this.closing = closing;
    beganNanos = nanoTime.getAsLong();
  }

  /**
   * Returns a sentence if the result of the last check differs from the result before; otherwise
   * null. Begins the next check if it is due. Does not wait.
   */
  @Nullable String news() {
    CompletableFuture<String> look = running;
    String found = null;
    if (look != null && look.isDone()) {
      running = null;
      String now = look.join();
      if (!now.equals(last)) {
        found = now.isEmpty() ? "the broker answers again, and has the input topics" : now;
        last = now;
      }
    }
    if (running == null && nanoTime.getAsLong() - beganNanos >= PAUSE.toNanos()) {
      beganNanos = nanoTime.getAsLong();
      begin();
    }
    return found;
  }

  private void begin() {
    try {
      running = CompletableFuture.supplyAsync(this::look, looks);
    } catch (RejectedExecutionException closed) {
      running = null;
    }
  }

  /** Returns a sentence about what is wrong; "" if nothing is wrong. */
  private String look() {
    try {
      Set<String> gone = new TreeSet<>(names);
      gone.removeAll(topics.look(names).keySet());
      return gone.isEmpty()
          ? ""
          : "warning: there is no topic %s any more; nothing is read from it until the job starts again with a new one"
              .formatted(String.join(", ", gone));
    } catch (IOException | RuntimeException silent) {
      return "warning: the broker does not answer, so no events are read until it does: "
          + silent.getMessage();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  @Override
  public void close() {
    closing.run();
  }
}
