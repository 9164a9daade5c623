package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the subscribers of a command report themselves. */
final class HeartbeatOptions {
  @Option(
      names = "--subscribers-topic",
      paramLabel = "TOPIC",
      description =
          "Topic of the heartbeats that say what is served here (default: APPLICATION-subscribers)."
              + " Needs --bootstrap-servers; a topic that is not there gets none.")
  @Nullable String topic;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "Name under which this process reports itself, its own and the same after each start"
              + " (default: host, process and a random number).")
  @Nullable String name;

  /** Those who report what is served here; close it before the subscribers. */
  static final class Reporters implements AutoCloseable {
    private final List<HeartbeatReporter> running = new ArrayList<>();

    @Override
    public void close() {
      running.forEach(HeartbeatReporter::close);
    }
  }

  /**
   * Who this process is; null if it does not report itself.
   *
   * @param kafka whether there are servers
   * @throws UsageException if the name can be none, or there are no servers
   */
  @Nullable SubscriberIdentity identity(boolean kafka) {
    if (!kafka) {
      if (topic != null || name != null) {
        throw new UsageException(
            "--subscribers-topic and --name need --bootstrap-servers HOST:PORT");
      }
      return null;
    }
    try {
      return SubscriberIdentity.ofProcess(name, new SplittableRandom());
    } catch (IllegalArgumentException refused) {
      throw new UsageException("--name: " + refused.getMessage());
    }
  }

  /** The topic of an application's heartbeats. */
  String topic(String application) {
    return topic == null ? application + "-subscribers" : topic;
  }

  /**
   * Begins to report.
   *
   * @param kafka client properties; null for not at all
   * @param identity likewise
   */
  Reporters report(
      @Nullable Map<String, Object> kafka,
      @Nullable SubscriberIdentity identity,
      Collection<? extends ModelSubscriber<?>> subscribers) {
    Reporters reporters = new Reporters();
    if (kafka == null || identity == null) {
      return reporters;
    }
    Map<String, List<HeartbeatReporter.Reported>> byTopic = new TreeMap<>();
    for (ModelSubscriber<?> each : subscribers) {
      byTopic
          .computeIfAbsent(topic(each.subscription().application()), any -> new ArrayList<>())
          .add(HeartbeatReporter.Reported.of(each));
    }
    byTopic.forEach(
        (name, reported) ->
            reporters.running.add(HeartbeatReporter.start(kafka, name, identity, reported)));
    return reporters;
  }
}
