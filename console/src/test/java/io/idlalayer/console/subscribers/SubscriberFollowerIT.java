package io.idlalayer.console.subscribers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic of a real broker that is not there yet, on which a subscriber comes and goes. */
final class SubscriberFollowerIT {
  private static final ApplicationPartition CLICKS = new ApplicationPartition("clicks", 0);
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path folder;

  private List<ApplicationSettings> applications() throws Exception {
    return List.of(
        ApplicationFiles.read(
            folder.resolve("clicks.yaml"),
            """
            name: clicks
            input: {format: csv, columns: [a, label], features: [a], label: label, classes: 2}
            """));
  }

  @Test
  void poll_brokerStopped_failsAtTheNextCheck() throws Exception {
    List<ApplicationSettings> applications = applications();
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
    String servers = broker.bootstrapServers();
    try {
      Topics.ensure(applications, servers);
      // A topic is not known at once when it was made.
      try (TopicHeartbeats feed =
          await()
              .atMost(LONG)
              .ignoreExceptions()
              .until(
                  () -> new TopicHeartbeats(applications, servers, nanos::get), Objects::nonNull)) {
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(feed.poll(Duration.ofMillis(10))).isEmpty();
        broker.close();
        assertThat(feed.poll(Duration.ofMillis(10))).as("not due").isEmpty();
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThatThrownBy(() -> feed.poll(Duration.ofMillis(10)))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("heartbeats cannot be read from the Kafka at " + servers)
            .hasMessageContaining("--bootstrap-servers");
      }
    } finally {
      broker.close();
    }
  }

  @Test
  void subscriber_thatComesAndGoes_isShownMeanwhile() throws Exception {
    List<ApplicationSettings> applications = applications();
    ModelLoader<String> loader = (checkpoint, files) -> "model";
    InstantSource clock = InstantSource.system();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
        SubscriberFollower follower =
            SubscriberFollower.start(applications, broker.bootstrapServers(), clock)) {
      await()
          .atMost(LONG)
          .until(() -> follower.of(CLICKS).problem().contains("no topic clicks-subscribers"));
      Topics.ensure(applications, broker.bootstrapServers());
      ModelStore store = new ModelStore(folder.resolve("models"), clock);
      try (ModelSubscriber<String> subscriber =
              new ModelSubscriber<>(
                  new ModelSubscriber.Subscription(store, "clicks", 0, Duration.ofMillis(50)),
                  loader,
                  clock);
          HeartbeatReporter reporter =
              HeartbeatReporter.start(
                  Map.of("bootstrap.servers", broker.bootstrapServers()),
                  "clicks-subscribers",
                  new SubscriberIdentity("web-1", "h", "1"),
                  List.of(HeartbeatReporter.Reported.of(subscriber)))) {
        await().atMost(LONG).until(() -> follower.of(CLICKS).subscribers().size() == 1);
        assertThat(follower.of(CLICKS).problem()).isEmpty();
        assertThat(reporter.lastError()).isEmpty();
      }
      await().atMost(LONG).until(() -> follower.of(CLICKS).subscribers().isEmpty());
    }
  }
}
