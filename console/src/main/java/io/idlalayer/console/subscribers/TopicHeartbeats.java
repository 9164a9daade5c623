package io.idlalayer.console.subscribers;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The topics of heartbeats of some applications. */
final class TopicHeartbeats implements HeartbeatFeed {
  private static final long CHECK_NANOS = 10_000_000_000L;

  private final HeartbeatSource topics;
  private long checkAtNanos = System.nanoTime() + CHECK_NANOS;

  /**
   * @param applications at least one
   * @throws IOException if there is none of the topics, or no broker answers
   */
  TopicHeartbeats(List<ApplicationSettings> applications, String servers) throws IOException {
    topics =
        new HeartbeatSource(
            KafkaClients.common(applications.get(0).kafka(), servers),
            applications.stream().map(each -> each.kafka().subscribersTopic()).toList());
  }

  @Override
  public List<HeartbeatSource.Heard> poll(Duration longest) throws IOException {
    if (System.nanoTime() - checkAtNanos > 0) {
      topics.check();
      checkAtNanos = System.nanoTime() + CHECK_NANOS;
    }
    return topics.poll(longest);
  }

  @Override
  public void close() {
    topics.close();
  }
}
