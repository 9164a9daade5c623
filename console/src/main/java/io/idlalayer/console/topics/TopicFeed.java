package io.idlalayer.console.topics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;

/** A feed of events from the status and decision topics of some applications. */
public final class TopicFeed implements EventFeed {
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final Duration CHECK_PATIENCE = Duration.ofSeconds(5);
  private static final long CHECK_NANOS = 5_000_000_000L;

  private final DecisionFollower topics;
  private long checkAtNanos = System.nanoTime() + CHECK_NANOS;

  /**
   * Opens the topics at their ends, so that {@link #poll} returns only new events.
   *
   * @throws IOException if the broker does not answer or has no such topics
   */
  public TopicFeed(List<ApplicationSettings> applications, String servers) throws IOException {
    try {
      topics = new DecisionFollower(applications, servers, PATIENCE);
    } catch (KafkaException refused) {
      throw explained(refused);
    }
  }

  @Override
  public void history(Consumer<DecisionEvent> take) throws IOException {
    try {
      topics.history(take);
    } catch (KafkaException refused) {
      throw explained(refused);
    }
  }

  @Override
  public List<DecisionEvent> poll(Duration longest) throws IOException {
    try {
      if (System.nanoTime() - checkAtNanos > 0) {
        topics.check(CHECK_PATIENCE);
        checkAtNanos = System.nanoTime() + CHECK_NANOS;
      }
      return topics.poll(longest);
    } catch (KafkaException refused) {
      throw explained(refused);
    }
  }

  private static IOException explained(KafkaException refused) {
    return new IOException("the topics cannot be read: " + refused.getMessage(), refused);
  }

  @Override
  public void close() {
    topics.close();
  }
}
