package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.TopicBytes;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Producing a file into a real broker that is stopped and started in between. */
final class InputProducerIT {
  @TempDir Path folder;

  private ApplicationSettings application() throws Exception {
    return ApplicationFiles.read(
        folder.resolve("app.yaml"),
        """
        name: app
        partitions: 2
        input: {format: csv, header: true, columns: [a, y], features: [a], label: y, classes: 2}
        """);
  }

  private static List<String> records(ApplicationSettings application, String servers) {
    return TopicBytes.all(
            KafkaClients.consumer(application.kafka(), servers), application.input().topic())
        .stream()
        .map(InputProducerIT::text)
        .filter(text -> !text.isEmpty())
        .toList();
  }

  private static String text(ConsumerRecord<byte[], byte[]> record) {
    Header source = record.headers().lastHeader(EventHeaders.SOURCE);
    if (source == null) {
      return "";
    }
    Header length = record.headers().lastHeader(EventHeaders.LENGTH);
    String value =
        length == null
            ? new String(record.value(), StandardCharsets.UTF_8)
            : "of " + new String(length.value(), StandardCharsets.UTF_8);
    return new String(source.value(), StandardCharsets.UTF_8) + " " + value;
  }

  private static InputProducer.Sent send(
      ApplicationSettings application, Path input, String servers, long limit) throws Exception {
    return new InputProducer(application, servers)
        .send(InputSource.file(input, application), new InputProducer.Request(limit, 0));
  }

  private static String lines(int from, int to) {
    return IntStream.rangeClosed(from, to)
        .mapToObj(i -> i + "," + i % 2)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static KafkaProducer<byte[], byte[]> foreign(
      ApplicationSettings application, String servers) {
    return TopicBytes.producer(KafkaClients.producer(application.kafka(), servers));
  }

  private static void sendForeign(ApplicationSettings application, String servers, int count)
      throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = foreign(application, servers)) {
      for (int i = 0; i < count; i++) {
        byte[] value = i % 3 == 0 ? null : "7,1".getBytes(StandardCharsets.UTF_8);
        Future<?> unused =
            producer.send(
                new ProducerRecord<>(
                    application.input().topic(),
                    i % 2,
                    "k".getBytes(StandardCharsets.UTF_8),
                    value));
      }
    }
  }

  @Test
  void nothingIsSentTwice_whateverElseLiesInTheTopic() throws Exception {
    ApplicationSettings application = application();
    Path input = folder.resolve("in.csv");
    Files.writeString(input, "a,y\n" + lines(1, 9));
    Path log = folder.resolve("kafka");
    try (EmbeddedBroker broker = EmbeddedBroker.start(log, 0)) {
      Topics.ensure(List.of(application), broker.bootstrapServers());
      Topics.ensure(List.of(application), broker.bootstrapServers());
      assertThat(send(application, input, broker.bootstrapServers(), 4))
          .isEqualTo(new InputProducer.Sent(4, 0, 0));
    }
    try (EmbeddedBroker broker = EmbeddedBroker.start(log, 0)) {
      String servers = broker.bootstrapServers();
      LearnerRequest requests = new LearnerRequest(application, servers);
      requests.train();
      requests.explain("#1");
      sendForeign(application, servers, 3_000);
      assertThat(send(application, input, servers, Long.MAX_VALUE))
          .as("a limit, then none")
          .isEqualTo(new InputProducer.Sent(5, 4, 0));
      Path other = Files.createDirectories(folder.resolve("other")).resolve("in.csv");
      Files.writeString(other, "a,y\n" + lines(11, 13));
      assertThat(send(application, other, servers, Long.MAX_VALUE))
          .as("another file of the same name")
          .isEqualTo(new InputProducer.Sent(3, 0, 0));
      assertThat(send(application, input, servers, Long.MAX_VALUE))
          .as("the first one again")
          .isEqualTo(new InputProducer.Sent(0, 9, 0));
      Files.writeString(input, "a,y\n" + lines(1, 12));
      addPartition(application, servers);
      assertThat(send(application, input, servers, Long.MAX_VALUE))
          .as("grown, and the topic too")
          .isEqualTo(new InputProducer.Sent(3, 9, 0));
      assertThat(send(application, input, servers, Long.MAX_VALUE).records()).isZero();
      List<String> expected = new ArrayList<>();
      for (int i = 1; i <= 12; i++) {
        expected.add("in.csv#%d, line %d %d,%d".formatted(i, i + 1, i, i % 2));
      }
      expected.addAll(
          List.of("in.csv#1, line 2 11,1", "in.csv#2, line 3 12,0", "in.csv#3, line 4 13,1"));
      assertThat(records(application, servers)).containsExactlyInAnyOrderElementsOf(expected);
      recreatedTopicGetsEverything(application, input, servers);
      aTopicForSmallRecordsIsRefused(application, servers);
    }
  }

  private static void aTopicForSmallRecordsIsRefused(
      ApplicationSettings application, String servers) throws Exception {
    String letters = application.kafka().deadLettersTopic();
    try (Admin admin = Admin.create(KafkaClients.admin(application.kafka(), servers))) {
      admin
          .incrementalAlterConfigs(
              Map.of(
                  new ConfigResource(ConfigResource.Type.TOPIC, letters),
                  List.of(
                      new AlterConfigOp(
                          new ConfigEntry("max.message.bytes", "5000"), AlterConfigOp.OpType.SET))))
          .all()
          .get();
    }
    assertThatThrownBy(() -> Topics.ensure(List.of(application), servers))
        .hasMessageContaining("topic app-dead-letters takes records of at most 5000 bytes");
  }

  private static void addPartition(ApplicationSettings application, String servers)
      throws Exception {
    try (Admin admin = Admin.create(KafkaClients.admin(application.kafka(), servers))) {
      admin
          .createPartitions(Map.of(application.input().topic(), NewPartitions.increaseTo(3)))
          .all()
          .get();
    }
  }

  private static void recreatedTopicGetsEverything(
      ApplicationSettings application, Path input, String servers) throws Exception {
    try (Admin admin = Admin.create(KafkaClients.admin(application.kafka(), servers))) {
      admin.deleteTopics(List.of(application.input().topic())).all().get();
      for (int i = 0; admin.listTopics().names().get().contains(application.input().topic()); i++) {
        // A broker lists a deleted topic for a moment longer.
        assertThat(i).isLessThan(1_000);
      }
    }
    Topics.ensure(List.of(application), servers);
    assertThat(send(application, input, servers, Long.MAX_VALUE).records()).isEqualTo(12);
  }

  /** A reader that fails in the middle stands for a producer that is killed there. */
  @Test
  void aProducerThatDiedInTheMiddle_isContinuedByItsTrace_andLongRecordsGoOn() throws Exception {
    ApplicationSettings application = application();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(List.of(application), servers);
      InputProducer producer = new InputProducer(application, servers);
      InputProducer.Request all = new InputProducer.Request(Long.MAX_VALUE, 0);
      assertThatThrownBy(
              () -> producer.send(InputSource.generated("made", () -> new FakeReader(20, 7)), all))
          .hasMessageContaining("dies at 7");
      sendForeign(application, servers, 100);
      assertThat(producer.send(InputSource.generated("made", () -> new FakeReader(20, 99)), all))
          .as("one of the records has 2 MB")
          .isEqualTo(new InputProducer.Sent(14, 6, 1));
      List<String> records = records(application, servers);
      assertThat(records).hasSize(20).contains("made#10 of 2097152", "made#20 20,1");
    }
  }

  /** Records that a producer gave up, although it had sent later ones of the same partition. */
  @Test
  void holesThatAProducerLeft_areFilled_andWhatIsBehindThemIsNotSentAgain() throws Exception {
    ApplicationSettings application = application();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(List.of(application), servers);
      InputProducer producer = new InputProducer(application, servers);
      InputProducer.Request all = new InputProducer.Request(Long.MAX_VALUE, 0);
      assertThatThrownBy(
              () -> producer.send(InputSource.generated("made", () -> new FakeReader(9, 4)), all))
          .hasMessageContaining("dies at 4");
      long input = EventHeaders.inputNumber(onlyInput(application, servers));
      try (KafkaProducer<byte[], byte[]> late = foreign(application, servers)) {
        for (long number : new long[] {5, 8}) {
          ProducerRecord<byte[], byte[]> record =
              new ProducerRecord<>(
                  application.input().topic(),
                  (int) ((number - 1) % 2),
                  (byte[]) null,
                  (number + ",1").getBytes(StandardCharsets.UTF_8));
          EventHeaders.add(record.headers(), new EventHeaders.Identity(input, number));
          record
              .headers()
              .add(EventHeaders.SOURCE, ("made#" + number).getBytes(StandardCharsets.UTF_8));
          late.send(record).get();
        }
      }
      assertThat(producer.send(InputSource.generated("made", () -> new FakeReader(9, 99)), all))
          .isEqualTo(new InputProducer.Sent(4, 5, 0));
      assertThat(records(application, servers))
          .containsExactlyInAnyOrderElementsOf(
              IntStream.rangeClosed(1, 9).mapToObj(i -> "made#%d %d,1".formatted(i, i)).toList());
    }
  }

  private static String onlyInput(ApplicationSettings application, String servers) {
    return new String(
        TopicBytes.all(
                KafkaClients.consumer(application.kafka(), servers),
                application.kafka().inputsTopic())
            .get(0)
            .key(),
        StandardCharsets.UTF_8);
  }

  private static final class FakeReader implements RecordReader {
    private final int count;
    private final int diesAt;
    private int at;

    FakeReader(int count, int diesAt) {
      this.count = count;
      this.diesAt = diesAt;
    }

    @Override
    public boolean next() throws IOException {
      at++;
      if (at == diesAt) {
        throw new IOException("dies at " + at);
      }
      return at <= count;
    }

    @Override
    public byte[] record() {
      return at == 10 ? new byte[2 << 20] : (at + ",1").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public long position() {
      return at;
    }

    @Override
    public void close() {}
  }

  @Test
  void start_busyPort_isNamed() throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = busy.getLocalPort();
      assertThatThrownBy(() -> EmbeddedBroker.start(folder.resolve("k"), port))
          .hasMessageContaining("port " + port + " is in use");
    }
  }

  @Test
  void pacer_rate_isKeptByItsClock() {
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
