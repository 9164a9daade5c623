package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.source.EventHeaders;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Producing a file into a real broker that is stopped and started in between. */
final class InputProducerIT {
  @TempDir Path folder;

  private ApplicationSettings application() throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: 2
        input: {format: csv, header: true, columns: [a, y], features: [a], label: y, classes: 2}
        """);
    return ApplicationFileReader.read(file, name -> null);
  }

  private static List<String> records(ApplicationSettings application, String servers) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            KafkaClients.consumer(application.kafka(), servers),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> all =
          List.of(
              new TopicPartition(application.input().topic(), 0),
              new TopicPartition(application.input().topic(), 1));
      consumer.assign(all);
      consumer.seekToBeginning(all);
      long expected = consumer.endOffsets(all).values().stream().mapToLong(Long::longValue).sum();
      List<String> records = new ArrayList<>();
      while (records.size() < expected) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
          records.add(text(record));
        }
      }
      return records;
    }
  }

  private static String text(ConsumerRecord<byte[], byte[]> record) {
    if (record.headers().lastHeader(EventHeaders.TRAIN) != null) {
      return record.partition() + " train";
    }
    String source =
        new String(
            record.headers().lastHeader(EventHeaders.SOURCE).value(), StandardCharsets.UTF_8);
    String value = new String(record.value(), StandardCharsets.UTF_8);
    return record.partition() + " " + source + " " + value;
  }

  private static InputProducer.Sent send(
      ApplicationSettings application, Path input, String servers, long limit, boolean end)
      throws Exception {
    try (var reader = Inputs.open(input, application)) {
      return new InputProducer(application, servers)
          .send(reader, new InputProducer.Request("in.csv", limit, 0, end));
    }
  }

  @Test
  void aRestartedProducerContinuesAndEndsOnce() throws Exception {
    ApplicationSettings application = application();
    Path input = folder.resolve("in.csv");
    Files.writeString(
        input,
        IntStream.rangeClosed(1, 9)
            .mapToObj(i -> i + "," + i % 2)
            .collect(Collectors.joining("\n", "a,y\n", "\n")));
    Path log = folder.resolve("kafka");
    try (EmbeddedBroker broker = EmbeddedBroker.start(log, 0)) {
      Topics.ensure(List.of(application), broker.bootstrapServers());
      Topics.ensure(List.of(application), broker.bootstrapServers());
      assertThat(send(application, input, broker.bootstrapServers(), 4, false))
          .isEqualTo(new InputProducer.Sent(4, 0));
    }
    try (EmbeddedBroker broker = EmbeddedBroker.start(log, 0)) {
      String servers = broker.bootstrapServers();
      LearnerRequest.train(application, servers);
      LearnerRequest.train(application, servers);
      assertThat(send(application, input, servers, 100, true))
          .as("a request to train does not hide where the input stopped")
          .isEqualTo(new InputProducer.Sent(5, 4));
      assertThat(send(application, input, servers, 100, true))
          .isEqualTo(new InputProducer.Sent(0, 9));
      assertThat(records(application, servers))
          .containsExactlyInAnyOrder(
              "0 train",
              "0 train",
              "0 in.csv#1 1,1",
              "1 in.csv#2 2,0",
              "0 in.csv#3 3,1",
              "1 in.csv#4 4,0",
              "0 in.csv#5 5,1",
              "1 in.csv#6 6,0",
              "0 in.csv#7 7,1",
              "1 in.csv#8 8,0",
              "0 in.csv#9 9,1",
              "0 in.csv#end ",
              "1 in.csv#end ");
    }
  }

  @Test
  void aBusyPortIsSaidWithItsNumber() throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = busy.getLocalPort();
      assertThatThrownBy(() -> EmbeddedBroker.start(folder.resolve("k"), port))
          .hasMessageContaining("port " + port + " is in use");
    }
  }

  @Test
  void theRateIsKeptByTheClockOfThePacer() {
    long[] now = {0};
    Pacer pacer = new Pacer(100, () -> now[0]);
    for (int i = 0; i < 10; i++) {
      assertThat(pacer.nanosUntilDue()).isEqualTo(Math.max(0, i * 10_000_000L - now[0]));
      now[0] += pacer.nanosUntilDue();
      pacer.sent();
    }
    assertThat(now[0]).isEqualTo(90_000_000L);
    assertThat(new Pacer(0, () -> now[0]).nanosUntilDue()).isZero();
  }
}
