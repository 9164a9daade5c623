package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.produce.TopicPatterns;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics that are found by a pattern, added and deleted between runs, with a broker. */
final class TopicPatternRunIT {
  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final long LONGEST_NANOS = Duration.ofSeconds(60).toNanos();
  private static final String FILE =
      """
      name: clicks
      input:
        topic-pattern: "clicks-[a-z]+"
        features: [a]
        id: i
        label: y
        classes: 2
      model: {hidden: [4]}
      update: {rule: count, count: 50}
      """;

  @TempDir Path folder;
  private String servers = "";

  private ApplicationSettings read() throws Exception {
    return ApplicationFiles.read(folder.resolve("clicks.yaml"), FILE);
  }

  private TopicPatterns found() throws Exception {
    return TopicPatterns.find(List.of(read()), servers);
  }

  private void create(Admin admin, String topic, int events) throws Exception {
    admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
    send(topic, 0, events);
  }

  private void send(String topic, int from, int events) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        TopicBytes.producer(KafkaClients.producer(read().kafka(), servers))) {
      for (int i = from; i < from + events; i++) {
        String event = "{\"i\": \"%s%d\", \"a\": %d, \"y\": %d}".formatted(topic, i, i % 7, i % 2);
        Future<?> unused =
            producer.send(
                new ProducerRecord<>(topic, i % 2, null, event.getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  private static long received(RunView view) {
    return view.learners().stream().mapToLong(each -> each.status().samples().received()).sum();
  }

  /** Runs until the learner has received some events; then a request asks it to learn all. */
  private RunView run(ApplicationSettings application, long least) throws Exception {
    long begin = System.nanoTime();
    boolean[] asked = {false};
    boolean[] ended = {false};
    FakeMonitor monitor =
        new FakeMonitor() {
          @Override
          public void tick(RunView view) {
            if (received(view) >= least && !asked[0]) {
              asked[0] = true;
              try {
                new LearnerRequest(found().applications().get(0), servers).end("end-" + least);
              } catch (Exception failed) {
                throw new IllegalStateException(failed);
              }
            }
            ended[0] = view.reached("end-" + least, application.name(), 1);
          }
        };
    EmbeddedRun.Plan plan =
        new EmbeddedRun.Plan(List.of(application), folder.resolve("work"), servers, null);
    return new EmbeddedRun(plan, monitor)
        .run(() -> ended[0] || System.nanoTime() - begin > LONGEST_NANOS)
        .view();
  }

  @Test
  @Timeout(240)
  void pattern_topicsAddedAndDeletedBetweenRuns_areFoundOrMissedAtTheStart() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      servers = broker.bootstrapServers();
      try (Admin admin = Admin.create(KafkaClients.admin(read().kafka(), servers))) {
        assertThatThrownBy(this::found)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no topic at " + servers + " matches input.topic-pattern");
        create(admin, "clicks-eu", 60);
        create(admin, "clicks-us", 40);
        create(admin, "other", 5);
        ApplicationSettings first = found().applications().get(0);
        assertThat(first.input().eventTopics()).containsExactly("clicks-eu", "clicks-us");
        assertThat(received(run(first, 100))).isEqualTo(100);

        // It is the first one by its name, and was there before this run.
        create(admin, "clicks-as", 30);
        send("clicks-us", 40, 5);
        TopicPatterns second = found();
        assertThat(second.sentences())
            .singleElement()
            .asString()
            .contains("the 3 topics that match")
            .contains(
                "clicks-as, clicks-eu, clicks-us; left out: clicks-control (the control topic of"
                    + " clicks), clicks-decisions");
        assertThat(received(run(second.applications().get(0), 135))).isEqualTo(135);

        admin.deleteTopics(List.of("clicks-eu")).all().get();
        // A broker may list a topic for a moment after it was deleted.
        Awaitility.await()
            .atMost(WAIT)
            .until(
                () -> !found().applications().get(0).input().eventTopics().contains("clicks-eu"));
        ApplicationSettings third = found().applications().get(0);
        assertThatThrownBy(() -> run(third, 135))
            .hasStackTraceContaining(
                "input.topics or input.topic-pattern of clicks: clicks-eu was read, and now input comes from clicks-as, clicks-us only");
      }
    }
  }
}
