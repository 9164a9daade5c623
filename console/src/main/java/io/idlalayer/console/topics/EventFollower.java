package io.idlalayer.console.topics;

import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.events.DecisionEvent;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the events of a feed to {@link Learners}, on a separate thread while the console runs.
 * When the feed fails, all events are read again after a pause, and the listeners are notified. A
 * damaged recording is read again only when it has changed.
 */
public final class EventFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventFollower.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;
  private static final long PATIENCE_MILLIS = 5_000;

  private final EventFeed.Source source;
  private final Learners learners;
  private final Listener listener;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "event-follower");
  private volatile boolean connected;
  private volatile String problem = "";

  /** Receives events; called by the follower's thread. */
  public interface Listener {
    /** Called after an event was added to {@link Learners}. */
    void event(DecisionEvent event);

    /** Called after all events were read again from the beginning. */
    void anew();
  }

  public EventFollower(EventFeed.Source source, Learners learners, Listener listener) {
    this.source = source;
    this.learners = learners;
    this.listener = listener;
    thread.setDaemon(true);
  }

  /** Starts the thread that reads the feed. */
  public void start() {
    thread.start();
  }

  /** Returns whether events can be read now. */
  public boolean connected() {
    return connected;
  }

  /**
   * Returns why events cannot be read now or, while they can, a note about the events that were
   * read; "" if there is neither.
   */
  public String problem() {
    return problem;
  }

  private void run() {
    long pauseMillis = FIRST_PAUSE_MILLIS;
    try {
      boolean stopped;
      do {
        Throwable failure = null;
        try (EventFeed feed = source.open()) {
          learners.clear();
          feed.history(learners::take);
          problem = feed.note();
          connected = true;
          listener.anew();
          pauseMillis = FIRST_PAUSE_MILLIS;
          follow(feed);
        } catch (IOException | RuntimeException | Error failed) {
          failure = failed;
          connected = false;
          String when =
              source.mayGoBetter(failed) ? "" : "; it is read again when the file has changed";
          problem =
              (failed instanceof Error ? failed.toString() : String.valueOf(failed.getMessage()))
                  + when;
          LOG.warn("cannot read events; tries again after {} ms{}", pauseMillis, when, failed);
        }
        pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
        do {
          stopped = stopping.await(pauseMillis, TimeUnit.MILLISECONDS);
        } while (!stopped && failure != null && !source.mayGoBetter(failure));
      } while (!stopped);
    } catch (InterruptedException stopped) {
      connected = false;
    }
  }

  private void follow(EventFeed feed) throws IOException {
    while (stopping.getCount() > 0) {
      for (DecisionEvent event : feed.poll(POLL)) {
        learners.takeNow(event);
        listener.event(event);
      }
      problem = feed.note();
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
