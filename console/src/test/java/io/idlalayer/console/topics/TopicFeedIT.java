package io.idlalayer.console.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics of a real broker that are not there yet, are read, and go away. */
final class TopicFeedIT {
  private static final int POLLS = 1_000;

  @TempDir Path folder;

  private List<ApplicationSettings> application() throws Exception {
    return List.of(
        ApplicationFiles.read(
            folder.resolve("clicks.yaml"),
            """
            name: clicks
            input: {format: csv, columns: [a, label], features: [a], label: label, classes: 2}
            """));
  }

  private static void say(String servers, DecisionEvent event)
      throws ExecutionException, InterruptedException {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer
          .send(
              new ProducerRecord<>(
                  "clicks-status",
                  event.learner().getBytes(StandardCharsets.UTF_8),
                  DecisionEventCodec.encode(event)))
          .get();
    }
  }

  @Test
  void topics_areAwaitedReadAndMissed() throws Exception {
    List<ApplicationSettings> application = application();
    List<DecisionEvent> events = new ArrayList<>();
    EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0);
    try {
      String servers = broker.bootstrapServers();
      assertThatThrownBy(() -> new TopicFeed(application, servers))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("there is no topic clicks-status yet");
      Topics.ensure(application, servers);
      say(servers, ConsoleEvents.status(1_000, 1));
      try (TopicFeed feed = new TopicFeed(application, servers)) {
        feed.history(events::add);
        assertThat(events).extracting(DecisionEvent::atMillis).containsExactly(1_000L);
        say(servers, ConsoleEvents.status(2_000, 2));
        for (int poll = 0; poll < POLLS && events.size() == 1; poll++) {
          events.addAll(feed.poll(Duration.ofMillis(100)));
        }
        assertThat(events).extracting(DecisionEvent::atMillis).containsExactly(1_000L, 2_000L);
        broker.close();
        assertThatThrownBy(
                () -> {
                  for (int poll = 0; poll < POLLS; poll++) {
                    feed.poll(Duration.ofMillis(100));
                  }
                })
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no Kafka broker has answered");
      }
    } finally {
      broker.close();
    }
  }
}
