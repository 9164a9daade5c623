package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options with which a command reports to Kafka which versions its subscribers serve. */
final class HeartbeatOptions {
  @Option(
      names = "--subscribers-topic",
      paramLabel = "TOPIC",
      description =
          "Topic of the heartbeats that say what is served here (default: APPLICATION-subscribers)."
              + " The job makes TOPIC-PREFIXsubscribers; name that one if the application file has"
              + " a kafka.topic-prefix. Needs --bootstrap-servers.")
  @Nullable String topic;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "Name under which this process reports itself, the same after each start"
              + " (default: host, process and a random number).")
  @Nullable String name;

  /** The running reporters of the served versions; close them before the subscribers. */
  static final class Reporters implements AutoCloseable {
    private final List<HeartbeatReporter> running = new ArrayList<>();
    private final Map<String, String> told = new HashMap<>();

    /**
     * Prints which heartbeats cannot be sent, and why. Each reason is printed once, and again if it
     * recurs after a success.
     */
    void tell(PrintWriter err) {
      for (HeartbeatReporter each : running) {
        String error = each.lastError();
        // Kafka reports one reason with different numbers each time.
        String reason = error.replaceAll("\\d+", "0");
        if (!reason.equals(told.put(each.topic(), reason)) && !reason.isEmpty()) {
          err.printf(
              "no heartbeats on topic %s: %s; check --bootstrap-servers, --subscribers-topic, and"
                  + " the rights to write to the topic and to describe it%n",
              each.topic(), error);
          err.flush();
        }
      }
    }

    @Override
    public void close() {
      HeartbeatReporter.closeAll(running);
    }
  }

  /**
   * Returns the identity under which this process sends heartbeats; null if it sends none.
   *
   * @param kafka whether there are servers
   * @throws UsageException if the name is not allowed, or there are no servers
   */
  @Nullable SubscriberIdentity identity(boolean kafka) {
    if (!kafka) {
      if (given()) {
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

  /** Returns whether the user gave an option that only heartbeats need. */
  boolean given() {
    return topic != null || name != null;
  }

  /** Returns the name of the topic for an application's heartbeats. */
  String topic(String application) {
    return topic == null ? application + "-subscribers" : topic;
  }

  /**
   * Starts to send heartbeats that report the served versions.
   *
   * @param kafka properties of Kafka's client; null: nothing is reported
   * @param identity identity of the subscriber; null: nothing is reported
   */
  Reporters report(
      @Nullable Map<String, Object> kafka,
      @Nullable SubscriberIdentity identity,
      Collection<? extends ModelSubscriber<?>> subscribers) {
    Reporters reporters = new Reporters();
    if (kafka == null || identity == null) {
      return reporters;
    }
    Map<String, Map<String, HeartbeatReporter.Reported>> byTopic = new TreeMap<>();
    for (ModelSubscriber<?> each : subscribers) {
      HeartbeatReporter.Reported reported = HeartbeatReporter.Reported.of(each);
      // Two models of a server may be one version, which is reported once.
      byTopic
          .computeIfAbsent(topic(each.subscription().application()), any -> new TreeMap<>())
          .putIfAbsent(reported.of() + "@" + reported.alias(), reported);
    }
    byTopic.forEach(
        (name, reported) ->
            reporters.running.add(
                HeartbeatReporter.start(kafka, name, identity, List.copyOf(reported.values()))));
    return reporters;
  }
}
