package io.idlalayer.console.subscribers;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A feed of heartbeats from the topics of some applications. Checks every 10 s whether the broker
 * answers.
 */
final class TopicHeartbeats implements HeartbeatFeed {
  private static final long CHECK_NANOS = 10_000_000_000L;

  private final List<ApplicationSettings> applications;
  private final HeartbeatSource topics;
  private final LongSupplier nanoClock;
  private long checkedAtNanos;

  /**
   * @param applications the applications, at least one
   * @param nanoClock a monotonic clock
   * @throws IOException if none of the topics exists, or no broker answers
   */
  TopicHeartbeats(List<ApplicationSettings> applications, String servers, LongSupplier nanoClock)
      throws IOException {
    this.applications = List.copyOf(applications);
    this.nanoClock = nanoClock;
    topics =
        new HeartbeatSource(
            KafkaClients.common(applications.get(0).kafka(), servers),
            applications.stream().map(each -> each.kafka().subscribersTopic()).toList());
    checkedAtNanos = nanoClock.getAsLong();
  }

  @Override
  public List<HeartbeatSource.Heard> poll(Duration longest) throws IOException {
    if (nanoClock.getAsLong() - checkedAtNanos >= CHECK_NANOS) {
      topics.check();
      checkedAtNanos = nanoClock.getAsLong();
    }
    return topics.poll(longest);
  }

  @Override
  public Map<String, String> problems() {
    Map<String, String> ofTopics = topics.problems();
    Map<String, String> found = new HashMap<>();
    for (ApplicationSettings each : applications) {
      String problem = ofTopics.get(each.kafka().subscribersTopic());
      if (problem != null) {
        found.put(each.name(), problem);
      }
    }
    return found;
  }

  @Override
  public void close() {
    topics.close();
  }
}
