package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One work directory and one topic through what users and brokers do to inputs. */
final class InputIdentityIT {
  @TempDir Path folder;

  private ApplicationSettings application() throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        """
        name: app
        partitions: 2
        input: {format: csv, columns: [a, b, y], features: [a, b], label: y, classes: 2}
        model: {hidden: [4]}
        update: {rule: count, count: 20}
        """);
  }

  private static final class InputMonitor extends FakeMonitor {
    @Override
    public void event(RunView view, DecisionEvent event) {
      if (event.type() == DecisionEvent.Type.INPUT) {
        phase(event.message());
      }
    }
  }

  private Path rows(String name, int seed, int count) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(random.nextInt(1_000_000)).append(',').append(i).append(',').append(i % 2);
      // One line of each file is far too long for the topic.
      text.append(i == 40 ? " ".repeat(2 << 20) : "").append('\n');
    }
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private RunView run(
      ApplicationSettings application, String servers, Path file, long limit, InputMonitor said)
      throws Exception {
    Path work = folder.resolve("work");
    return FileRun.run(application, work, servers, file, limit, said).view();
  }

  private static long received(RunView view) {
    return view.learners().stream().mapToLong(each -> each.status().samples().received()).sum();
  }

  private static Status.Input input(RunView view) {
    // The first learner counts what concerns the whole application.
    return view.learners().get(0).status().input();
  }

  private static JsonNode balance(RunView view) {
    return RunReport.of(view, 1).get("balance");
  }

  @Test
  void inputsAreKnown_andNothingIsLearnedTwiceOrLostUnsaid() throws Exception {
    ApplicationSettings application = application();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Path file = rows("in.csv", 1, 60);
      InputMonitor said = new InputMonitor();
      assertThat(received(run(application, servers, file, 30, said))).isEqualTo(30);

      hostile(application, servers);
      RunView whole = run(application, servers, file, Long.MAX_VALUE, said);
      // 30 more, and the foreign record that pretends to be an end. None of the aborted ones.
      assertThat(received(whole)).as("limit, then none").isEqualTo(61);
      assertThat(RunReport.of(whole, 1).get("samples").get("malformed").asLong()).isEqualTo(2);
      assertThat(input(whole).refusedControls()).isEqualTo(3);
      assertThat(balance(whole).get("holds").asBoolean()).isTrue();
      assertThat(said.phases).anyMatch(text -> text.contains("1 were too long and are"));

      RunView other = run(application, servers, rows("x/in.csv", 2, 50), Long.MAX_VALUE, said);
      assertThat(received(other)).as("another file of the same name").isEqualTo(111);
      lost(application, servers, said);
      recreated(application, servers, file);
    }
  }

  /**
   * What another producer may write: events of an aborted transaction, and requests that are none.
   */
  private static void hostile(ApplicationSettings application, String servers) throws Exception {
    Map<String, Object> properties = KafkaClients.producer(application.kafka(), servers);
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "other-producer");
    String topic = application.input().topic();
    try (KafkaProducer<byte[], byte[]> producer = TopicBytes.producer(properties)) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int i = 0; i < 100; i++) {
        Future<?> unused =
            producer.send(new ProducerRecord<>(topic, i % 2, null, bytes("1," + i + ",0")));
      }
      producer.flush();
      producer.abortTransaction();
      producer.beginTransaction();
      ProducerRecord<byte[], byte[]> end = new ProducerRecord<>(topic, 0, null, new byte[0]);
      end.headers().add("idla-end", bytes("soon"));
      Future<?> unusedToo = producer.send(end);
      for (String request : List.of("soon", "{\"version\":1}", "x".repeat(500_000))) {
        Future<?> unused =
            producer.send(
                new ProducerRecord<>(application.kafka().controlTopic(), 0, null, bytes(request)));
      }
      producer.commitTransaction();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Retention is ahead of the job: of 40 records that wait, those of one partition go. */
  private void lost(ApplicationSettings application, String servers, InputMonitor said)
      throws Exception {
    Path file = rows("later.csv", 3, 40);
    new InputProducer(application, servers)
        .send(InputSource.file(file, application), new InputProducer.Request(Long.MAX_VALUE, 0));
    TopicPartition partition = new TopicPartition(application.input().topic(), 1);
    try (Admin admin = Admin.create(KafkaClients.admin(application.kafka(), servers))) {
      long end =
          admin
              .listOffsets(Map.of(partition, OffsetSpec.latest()))
              .partitionResult(partition)
              .get()
              .offset();
      admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(end))).all().get();
    }
    RunView view = run(application, servers, file, Long.MAX_VALUE, said);
    assertThat(said.phases).contains("nothing new: all 40 records of later.csv were sent before");
    assertThat(received(view)).isEqualTo(131);
    assertThat(input(view).lostOffsets()).isEqualTo(20);
    assertThat(input(view).lost())
        .singleElement()
        .satisfies(lost -> assertThat(lost.input()).isEqualTo(partition.toString()));
    assertThat(view.learners().get(1).status().input().lostOffsets()).as("counted once").isZero();
    assertThat(balance(view).get("holds").asBoolean()).isFalse();
    assertThat(said.phases).anyMatch(text -> text.contains("input lost: offsets"));
  }

  private void recreated(ApplicationSettings application, String servers, Path file)
      throws Exception {
    try (Admin admin = Admin.create(KafkaClients.admin(application.kafka(), servers))) {
      admin.deleteTopics(List.of(application.input().topic())).all().get();
      for (int i = 0; admin.listTopics().names().get().contains(application.input().topic()); i++) {
        // A broker lists a deleted topic for a moment longer.
        assertThat(i).isLessThan(1_000);
      }
    }
    Topics.ensure(List.of(application), servers);
    assertThatThrownBy(() -> run(application, servers, file, Long.MAX_VALUE, new InputMonitor()))
        .hasMessageContaining("input.topic of app: topic app-samples had the id ")
        .hasMessageContaining("deleted and created again")
        .hasMessageContaining("--start-over");
  }
}
