package io.idlalayer.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.TopicBytes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A long history on real topics: what of it is fetched. */
final class DecisionFollowerIT {
  private static final long UPDATES = 10_000;
  private static final int EACH = 3;
  private static final long NEWEST = 6_000;
  private static final DecisionFollower.Bounds BOUNDS =
      new DecisionFollower.Bounds(NEWEST, 64L << 20, 2_500, 50);

  @TempDir Path folder;

  private static Status status(long number) {
    return ExampleEvents.status(ExampleEvents.received(10 * number), number);
  }

  private static DecisionEvent event(DecisionEvent.Type type, int partition, long number) {
    UpdateRecord update =
        ExampleEvents.published(number, new UpdateRecord.Published(number, number), 1, 5);
    return DecisionEvent.of(
        type,
        new DecisionEvent.Origin("long", partition, 1_000 * number),
        status(number),
        type == DecisionEvent.Type.STATUS ? null : update,
        "");
  }

  private static void send(
      KafkaProducer<byte[], byte[]> to, ApplicationSettings app, DecisionEvent event) {
    boolean status = event.type() == DecisionEvent.Type.STATUS;
    Future<?> unused =
        to.send(
            new ProducerRecord<>(
                status ? app.kafka().statusTopic() : app.kafka().decisionsTopic(),
                (status ? event.learner() : event.application()).getBytes(StandardCharsets.UTF_8),
                DecisionEventCodec.encode(event)));
  }

  /** What another program may write there. */
  private static void sendForeign(KafkaProducer<byte[], byte[]> to, ApplicationSettings app) {
    byte[] key = app.name().getBytes(StandardCharsets.UTF_8);
    for (String text : List.of("null", "{\"formatVersion\":1,\"application\":\"long\"}")) {
      byte[] value = text.getBytes(StandardCharsets.UTF_8);
      Future<?> unused = to.send(new ProducerRecord<>(app.kafka().decisionsTopic(), key, value));
      unused = to.send(new ProducerRecord<>(app.kafka().statusTopic(), key, value));
    }
  }

  @Test
  void ofALongHistory_theNewestIsFetched_andTheTotalsAreExact() throws Exception {
    ApplicationSettings app =
        ApplicationFiles.read(
            folder.resolve("long.yaml"),
            """
            name: long
            partitions: 2
            input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
            """);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(List.of(app), servers);
      assertThat(policy(app, servers)).isEqualTo("compact");
      try (KafkaProducer<byte[], byte[]> to =
          TopicBytes.producer(KafkaClients.producer(app.kafka(), servers))) {
        // The other learner stopped long ago; only its status is left.
        send(to, app, event(DecisionEvent.Type.STATUS, 1, 77));
        for (long number = 1; number <= UPDATES; number++) {
          send(to, app, event(DecisionEvent.Type.FIRED, 0, number));
          send(to, app, event(DecisionEvent.Type.STAGED, 0, number));
          send(to, app, event(DecisionEvent.Type.PUBLISHED, 0, number));
          if (number % 4 == 0) {
            send(to, app, event(DecisionEvent.Type.STATUS, 0, number));
          }
        }
        to.flush();
        assertFewBytes(app, servers);
        try (DecisionFollower follower =
            new DecisionFollower(List.of(app), servers, Duration.ofMinutes(1), BOUNDS)) {
          assertHistory(follower);
          // The clock looks set back: a poll that lasts too long is ended.
          follower.endPoll();
          assertThat(follower.poll(Duration.ofMillis(200))).isEmpty();
          sendForeign(to, app);
          send(to, app, event(DecisionEvent.Type.STATUS, 0, UPDATES + 1));
          send(to, app, event(DecisionEvent.Type.FINISHED, 0, UPDATES + 1));
          List<DecisionEvent.Type> live = new ArrayList<>();
          for (int i = 0; i < 100 && live.size() < 2; i++) {
            follower.poll(Duration.ofMillis(200)).forEach(event -> live.add(event.type()));
          }
          assertThat(live)
              .containsExactlyInAnyOrder(DecisionEvent.Type.STATUS, DecisionEvent.Type.FINISHED);
        }
      }
    }
  }

  private static void assertHistory(DecisionFollower follower) throws Exception {
    RunView view = new RunView();
    AtomicLong folded = new AtomicLong();
    follower.history(
        event -> {
          folded.incrementAndGet();
          view.add(event);
        });
    view.reopen();
    long statuses = UPDATES / 4 + 1;
    assertThat(folded.get()).isEqualTo(NEWEST + statuses);
    // The search for the newest bytes reads them once before, in steps that a poll may pass.
    assertThat(follower.fetched()).isLessThan(2 * NEWEST + 2_500 + statuses);
    assertThat(follower.fetched()).isLessThan(UPDATES * EACH / 2 + statuses);
    assertThat(view.learners()).hasSize(2);
    assertThat(view.learners().get(0).status().updates()).isEqualTo(UPDATES);
    assertThat(view.learners().get(1).status().updates()).isEqualTo(77);
    assertThat(view.learners().get(0).updates())
        .hasSize((int) (NEWEST / EACH))
        .last()
        .extracting(UpdateRecord::number)
        .isEqualTo(UPDATES);
    assertThat(RunReport.of(view, 1).get("updatesTotal").asLong()).isEqualTo(UPDATES + 77);
  }

  private static void assertFewBytes(ApplicationSettings app, String servers) throws Exception {
    DecisionFollower.Bounds few = new DecisionFollower.Bounds(NEWEST, 1, 10, 0);
    try (DecisionFollower follower =
        new DecisionFollower(List.of(app), servers, Duration.ofMinutes(1), few)) {
      AtomicLong folded = new AtomicLong();
      follower.history(event -> folded.incrementAndGet());
      // One step of the search, and ten statuses.
      assertThat(folded.get()).isEqualTo(2_010);
    }
  }

  private static String policy(ApplicationSettings app, String servers) throws Exception {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, app.kafka().statusTopic());
    try (Admin admin = Admin.create(KafkaClients.admin(app.kafka(), servers))) {
      return admin
          .describeConfigs(List.of(topic))
          .all()
          .get()
          .get(topic)
          .get("cleanup.policy")
          .value();
    }
  }
}
