package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.DeadLetterHeaders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where jobs begin to read, and partitions that are added, with a broker. */
final class StartRunIT {
  private static final Instant FIRST = Instant.parse("2024-03-05T10:00:00Z");
  private static final String TOPIC = "clicks";
  private static final long LONGEST_NANOS = Duration.ofSeconds(60).toNanos();

  private static final String FILE =
      """
      name: %s
      partitions: 2
      input:
        topic: clicks
        format: json
        start: %s
        features: [a]
        id: i
        label: y
        classes: 2
      model: {hidden: [4]}
      update: {rule: count, count: 50}
      kafka: {properties: {partition.discovery.interval.ms: "500"}}
      """;

  @TempDir Path folder;
  private String servers = "";

  /** Returns one of the applications that learn from the same topic. */
  private ApplicationSettings application(String name, String start) throws Exception {
    return ApplicationFiles.read(folder.resolve(name + ".yaml"), FILE.formatted(name, start));
  }

  private static String event(String id) {
    return "{\"i\": \"%s\", \"a\": %d, \"y\": %d}"
        .formatted(id, id.hashCode() % 100, id.hashCode() & 1);
  }

  /** Sends events to a partition; the first one is of {@link #FIRST}, with a second to the next. */
  private void send(int partition, int count) throws Exception {
    send(TOPIC, partition, count);
  }

  private void send(String topic, int partition, int count) throws Exception {
    ApplicationSettings any = application("any", "earliest");
    try (KafkaProducer<byte[], byte[]> producer =
        TopicBytes.producer(KafkaClients.producer(any.kafka(), servers))) {
      for (int i = 0; i < count; i++) {
        byte[] event = event(topic + partition + "-" + i).getBytes(StandardCharsets.UTF_8);
        long millis = FIRST.plusSeconds(i).toEpochMilli();
        Future<?> unused =
            producer.send(new ProducerRecord<>(topic, partition, millis, null, event));
      }
    }
  }

  private Admin admin() throws Exception {
    return Admin.create(KafkaClients.admin(application("any", "earliest").kafka(), servers));
  }

  private void grow(int partitions) throws Exception {
    try (Admin admin = admin()) {
      admin.createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(partitions))).all().get();
    }
  }

  /** Returns an input of some new events. */
  private InputPlan input(ApplicationSettings application, int count) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(event(application.name() + i)).append('\n');
    }
    Path file = Files.writeString(folder.resolve(application.name() + ".jsonl"), text);
    return new InputPlan(application, InputSource.file(file, application), Long.MAX_VALUE, 0);
  }

  private RunView run(
      ApplicationSettings application,
      @Nullable InputPlan input,
      FakeMonitor monitor,
      BooleanSupplier stop)
      throws Exception {
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(
            List.of(application), folder.resolve("work-" + application.name()), servers, input);
    RunView view = new EmbeddedRun(plan, monitor).run(stop).view();
    JsonNode balance = RunReport.of(view, 1).get("balance");
    assertThat(balance.get("accounted").asLong() + balance.get("pending").asLong())
        .as(balance.toString())
        .isEqualTo(received(view));
    assertThat(balance.get("lostOffsets").asLong()).isZero();
    return view;
  }

  private static long received(RunView view) {
    return view.learners().stream().mapToLong(each -> each.status().samples().received()).sum();
  }

  private long firstStart(String name, String start, int events) throws Exception {
    ApplicationSettings application = application(name, start);
    return received(run(application, input(application, events), new FakeMonitor(), () -> false));
  }

  @Test
  void starts_atAllPlaces_readWhatTheyShallAlsoOfAddedPartitions() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      servers = broker.bootstrapServers();
      Topics.ensure(List.of(application("any", "earliest")), servers);
      send(0, 100);
      send(1, 60);

      String later = FIRST.plusSeconds(50).toString();
      assertThat(firstStart("time", later, 4)).isEqualTo(50 + 10 + 4);
      assertThat(firstStart("offsets", "{offsets: {0: 90, 1: 55}}", 3)).isEqualTo(10 + 5 + 4 + 3);

      assertStateWins();
      assertRefused();
      assertSeveralTopics();
      assertAnApplicationJoins();
    }
  }

  /** A job that goes on, with a partition that was added before and one that is added meanwhile. */
  private void assertStateWins() throws Exception {
    grow(3);
    send(2, 7);
    long begin = System.nanoTime();
    boolean[] grown = {false};
    long[] seen = {0};
    FakeMonitor monitor =
        new FakeMonitor() {
          @Override
          public void tick(RunView view) {
            seen[0] = received(view);
          }
        };
    BooleanSupplier stop =
        () -> {
          if (seen[0] >= 22 + 7 && !grown[0]) {
            grown[0] = true;
            try {
              grow(4);
              send(3, 4);
            } catch (Exception failed) {
              throw new IllegalStateException(failed);
            }
          }
          return seen[0] >= 22 + 7 + 4 || System.nanoTime() - begin > LONGEST_NANOS;
        };
    RunView view = run(application("offsets", "latest"), null, monitor, stop);
    assertThat(received(view)).isEqualTo(22 + 7 + 4);
    assertThat(monitor.phases)
        .contains("offsets continues from its state, so input.start (latest) is not used");
  }

  private void assertRefused() throws Exception {
    try (Admin admin = admin()) {
      admin
          .deleteRecords(Map.of(new TopicPartition(TOPIC, 0), RecordsToDelete.beforeOffset(50)))
          .all()
          .get();
    }
    ApplicationSettings gone = application("gone", "{offsets: {0: 10, 1: 1000, 2: 0}}");
    assertThatThrownBy(() -> run(gone, null, new FakeMonitor(), () -> true))
        .hasMessageContaining(
            "gone: input.start.offsets: topic clicks has 4 partitions, and those without"
                + " an offset are [3]")
        .hasMessageContaining("input.start.offsets: 10 is below 50")
        .hasMessageContaining("input.start.offsets: 1000 is above ");
    assertThat(folder.resolve("work-gone").resolve("checkpoints")).doesNotExist();
  }

  /** Two topics with positions of their own; a topic that is added is read from its beginning. */
  private void assertSeveralTopics() throws Exception {
    ApplicationSettings two = severalTopics("clicks, eu", "latest");
    Topics.ensure(List.of(two), servers);
    send("eu", 1, 3);
    FakeMonitor latest = new FakeMonitor();
    assertThat(received(runUntil(two, 0, latest))).isZero();
    assertThat(latest.phases)
        .anyMatch(
            text ->
                text.matches(
                    "several begins at input.start \\(latest\\): clicks-0 from offset [0-9]+,.*,"
                        + " eu-0 from offset 0, eu-1 from offset 3"));
    send(0, 2);
    send("eu", 0, 4);
    ApplicationSettings three = severalTopics("clicks, eu, us", "latest");
    Topics.ensure(List.of(three), servers);
    send("us", 1, 5);
    try (KafkaProducer<byte[], byte[]> producer =
        TopicBytes.producer(KafkaClients.producer(two.kafka(), servers))) {
      Future<?> unused = producer.send(new ProducerRecord<>("us", 0, null, new byte[] {'?'}));
    }
    assertThat(received(runUntil(three, 2 + 4 + 5 + 1, new FakeMonitor())))
        .isEqualTo(2 + 4 + 5 + 1);
    assertThat(
            TopicBytes.all(
                KafkaClients.consumer(three.kafka(), servers), three.kafka().deadLettersTopic()))
        .extracting(DeadLetterHeaders::read)
        .extracting(DeadLetter::topic)
        .containsExactly("us");
  }

  /** An application that is added to a job with the state of another one begins at its start. */
  private void assertAnApplicationJoins() throws Exception {
    ApplicationSettings joined =
        ApplicationFiles.read(
            folder.resolve("joined.yaml"),
            FILE.formatted("joined", "{offsets: {joined-0: 3, joined-1: 0}}")
                .replace("topic: clicks", "topic: joined"));
    Topics.ensure(List.of(joined), servers);
    send("joined", 0, 5);
    long begin = System.nanoTime();
    boolean[] reached = {false};
    FakeMonitor monitor =
        new FakeMonitor() {
          @Override
          public void tick(RunView view) {
            reached[0] = received(view) >= 12 + 2;
          }
        };
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(
            List.of(severalTopics("clicks, eu, us", "latest"), joined),
            folder.resolve("work-several"),
            servers,
            null);
    RunView view =
        new EmbeddedRun(plan, monitor)
            .run(() -> reached[0] || System.nanoTime() - begin > LONGEST_NANOS)
            .view();
    assertThat(received(view)).isEqualTo(12 + 2);
    assertThat(monitor.phases)
        .contains(
            "several continues from its state, so input.start (latest) is not used",
            "joined begins at input.start (offsets {joined-0: 3, joined-1: 0}): joined-0 from offset"
                + " 3, joined-1 from offset 0");
  }

  private ApplicationSettings severalTopics(String topics, String start) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("several.yaml"),
        FILE.formatted("several", start).replace("topic: clicks", "topics: [" + topics + "]"));
  }

  /** Runs an application until its learners have received some events, or for a minute. */
  private RunView runUntil(ApplicationSettings application, long least, FakeMonitor said)
      throws Exception {
    long begin = System.nanoTime();
    boolean[] reached = {false};
    FakeMonitor monitor =
        new FakeMonitor() {
          @Override
          public void phase(String text) {
            said.phase(text);
          }

          @Override
          public void tick(RunView view) {
            reached[0] = received(view) >= least;
          }
        };
    return run(
        application, null, monitor, () -> reached[0] || System.nanoTime() - begin > LONGEST_NANOS);
  }
}
