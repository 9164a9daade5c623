package io.idlalayer.console.subscribers;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.kafka.SubscriberBoard;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Reads the heartbeats of subscribers, on a separate thread while the console runs. If there are no
 * heartbeats, or they cannot be read, the rest of the console is not affected. Thread-safe.
 */
public final class SubscriberFollower implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(500);
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;
  private static final long PATIENCE_MILLIS = 5_000;

  private final HeartbeatFeed.Source source;
  private final InstantSource clock;
  private final SubscriberBoard board = new SubscriberBoard();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "subscriber-follower");
  private volatile String problem = "";
  private volatile Map<String, String> problems = Map.of();

  SubscriberFollower(HeartbeatFeed.Source source, InstantSource clock) {
    this.source = source;
    this.clock = clock;
    thread.setDaemon(true);
  }

  /** Starts to read the heartbeat topics of some applications, at least one. */
  public static SubscriberFollower start(
      List<ApplicationSettings> applications, String servers, InstantSource clock) {
    SubscriberFollower follower =
        new SubscriberFollower(
            () -> new TopicHeartbeats(applications, servers, System::nanoTime), clock);
    follower.start();
    return follower;
  }

  void start() {
    thread.start();
  }

  /** Returns the subscribers that report to serve the models of an application partition. */
  public ReportedSubscribers of(ApplicationPartition partition) {
    long nowMillis = clock.millis();
    String why = problem.isEmpty() ? problems.getOrDefault(partition.application(), "") : problem;
    return new ReportedSubscribers(
        true,
        why,
        board.full(partition.application(), nowMillis),
        board.of(partition, nowMillis).stream()
            .map(each -> ReportedSubscribers.Subscriber.of(each, why.isEmpty(), nowMillis))
            .toList());
  }

  private void run() {
    long pauseMillis = FIRST_PAUSE_MILLIS;
    try {
      do {
        try (HeartbeatFeed feed = source.open()) {
          board.clear();
          while (stopping.getCount() > 0) {
            feed.poll(POLL).forEach(heard -> board.take(heard, clock.millis()));
            problems = feed.problems();
            problem = "";
            pauseMillis = FIRST_PAUSE_MILLIS;
          }
        } catch (IOException | RuntimeException | Error failed) {
          problem =
              failed instanceof IOException
                  ? String.valueOf(failed.getMessage())
                  : failed.toString();
        }
        pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
      } while (!stopping.await(pauseMillis, TimeUnit.MILLISECONDS));
    } catch (InterruptedException stopped) {
      problem = "the console ends";
    }
  }

  @Override
  public void close() {
    stopping.countDown();
    try {
      thread.join(PATIENCE_MILLIS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
