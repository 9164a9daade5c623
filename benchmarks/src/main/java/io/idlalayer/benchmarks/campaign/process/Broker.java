package io.idlalayer.benchmarks.campaign.process;

import io.idlalayer.benchmarks.campaign.check.History.Event;
import io.idlalayer.benchmarks.campaign.check.History.Origin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The broker of a campaign: a process that is killed and paused like any other. */
public final class Broker implements AutoCloseable {
  private static final long START_MILLIS = 60_000;
  private static final Duration READ = Duration.ofSeconds(60);
  private static final long SILENCE_SECONDS = 30;

  /** Headers of records that are not events: requests of early builds, requests, position marks. */
  private static final List<String> NO_EVENT =
      List.of(
          "idla-end", "idla-train", "idla-explain", "idla-withdraw", "idla-control", "idla-mark");

  private final Product product;
  private final Path folder;
  private final Path log;
  private final int port;
  private final Map<String, String> environment;
  private @Nullable Victim process;

  public Broker(Product product, Path folder, Map<String, String> environment)
      throws IOException, InterruptedException {
    this.product = product;
    this.environment = environment;
    this.folder = folder.resolve("kafka");
    log = folder.resolve("broker.log");
    port = freePort();
    process = product.broker(log, this.folder, port, environment);
    await();
  }

  /** Creates a broker that another process has started; it is queried, and never killed. */
  private Broker(Broker own, int port) {
    product = own.product;
    environment = own.environment;
    folder = own.folder;
    log = own.log;
    this.port = port;
  }

  /** Returns a broker of this product at another address, {@code 127.0.0.1:PORT}. */
  public Broker at(String servers) {
    return new Broker(this, Integer.parseInt(servers.substring(servers.lastIndexOf(':') + 1)));
  }

  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  public String servers() {
    return "127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  public Victim process() {
    return Objects.requireNonNull(process);
  }

  private Map<String, Object> client() {
    return new HashMap<>(
        Map.of(
            "bootstrap.servers",
            servers(),
            "request.timeout.ms",
            5_000,
            "default.api.timeout.ms",
            20_000));
  }

  /** Waits until it answers. */
  private void await() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_MILLIS * 1_000_000;
    try (Admin admin = Admin.create(client())) {
      while (true) {
        try {
          admin.describeCluster().nodes().get(5, TimeUnit.SECONDS);
          return;
        } catch (ExecutionException | TimeoutException notYet) {
          if (System.nanoTime() > deadline || !process().runs()) {
            throw new IOException("the broker does not start; its log is " + log, notYet);
          }
        }
      }
    }
  }

  /** kill -9 and another start on the same folder; returns the seconds until it answered. */
  public double restart(long millisDown) throws IOException, InterruptedException {
    process().kill();
    Thread.sleep(millisDown);
    long start = System.nanoTime();
    process = product.broker(log, folder, port, environment);
    await();
    return (System.nanoTime() - start) / 1e9;
  }

  /**
   * Starts the broker again if it does not answer. A clock that was set may stop a broker for good,
   * and every round after that would fail.
   *
   * @return whether it had to
   */
  public boolean restartIfSilent() throws IOException, InterruptedException {
    try (Admin admin = Admin.create(client())) {
      admin.describeCluster().nodes().get(SILENCE_SECONDS, TimeUnit.SECONDS);
      return false;
    } catch (ExecutionException | TimeoutException silent) {
      restart(0);
      return true;
    }
  }

  @FunctionalInterface
  private interface Call<T> {
    T on(Admin admin) throws ExecutionException, InterruptedException;
  }

  private <T> T admin(Call<T> call) throws IOException, InterruptedException {
    try (Admin admin = Admin.create(client())) {
      return call.on(admin);
    } catch (ExecutionException failed) {
      throw new IOException("the broker refuses: " + failed.getCause(), failed);
    }
  }

  public void create(String topic, int partitions) throws IOException, InterruptedException {
    admin(
        admin ->
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get());
  }

  public void delete(Collection<String> topics) throws IOException, InterruptedException {
    admin(admin -> admin.deleteTopics(topics).all().get());
  }

  public List<String> topics() throws IOException, InterruptedException {
    return admin(admin -> List.copyOf(admin.listTopics().names().get()));
  }

  public void partitions(String topic, int total) throws IOException, InterruptedException {
    admin(
        admin ->
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total))).all().get());
  }

  /** Deletes what is before an offset, as retention would. */
  public void trim(String topic, int partition, long before)
      throws IOException, InterruptedException {
    admin(
        admin ->
            admin
                .deleteRecords(
                    Map.of(
                        new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(before)))
                .all()
                .get());
  }

  String topicId(String topic) throws IOException, InterruptedException {
    Map<String, TopicDescription> described =
        admin(admin -> admin.describeTopics(List.of(topic)).allTopicNames().get());
    return Objects.requireNonNull(described.get(topic)).topicId().toString();
  }

  private Map<String, Object> consumer() {
    Map<String, Object> properties = client();
    properties.put("isolation.level", "read_committed");
    properties.put("enable.auto.commit", false);
    properties.put("max.partition.fetch.bytes", 80 << 20);
    return properties;
  }

  private List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(consumer(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> all =
          consumer.partitionsFor(topic, READ).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all, READ);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      long deadline = System.nanoTime() + READ.toNanos();
      while (all.stream().anyMatch(it -> consumer.position(it) < ends.getOrDefault(it, 0L))
          && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
      return records;
    }
  }

  /** Committed records of an input topic; requests and position marks are told from events. */
  public List<Event> events(String topic) throws IOException, InterruptedException {
    if (!topics().contains(topic)) {
      return List.of();
    }
    String id = topicId(topic);
    List<Event> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : read(topic)) {
      byte[] value = record.value();
      boolean control = value == null;
      for (String header : NO_EVENT) {
        control |= record.headers().lastHeader(header) != null;
      }
      events.add(
          new Event(
              id,
              record.partition(),
              record.offset(),
              value == null ? "" : new String(value, StandardCharsets.UTF_8),
              control));
    }
    return events;
  }

  /** Where the dead letters of an application came from. */
  public List<Origin> deadLetters(String topic) throws IOException, InterruptedException {
    List<Origin> origins = new ArrayList<>();
    if (topics().contains(topic)) {
      for (ConsumerRecord<byte[], byte[]> record : read(topic)) {
        origins.add(
            new Origin((int) number(record, "idla-partition"), number(record, "idla-offset")));
      }
    }
    return origins;
  }

  private static long number(ConsumerRecord<byte[], byte[]> record, String header) {
    Header found = record.headers().lastHeader(header);
    return found == null ? -1 : Long.parseLong(new String(found.value(), StandardCharsets.UTF_8));
  }

  /** Something to send: a value, or null for a tombstone; headers by name. */
  public record Message(
      byte @Nullable [] key, byte @Nullable [] value, Map<String, byte[]> headers) {
    public static Message of(String row) {
      return new Message(null, row.getBytes(StandardCharsets.UTF_8), Map.of());
    }
  }

  /** Sends messages to a partition and waits until the broker has them. */
  public void send(String topic, int partition, List<Message> messages)
      throws IOException, InterruptedException {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      send(producer, topic, partition, messages);
    }
  }

  private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> properties = client();
    properties.remove("default.api.timeout.ms");
    properties.put("acks", "all");
    properties.put("max.request.size", 66 << 20);
    properties.put("buffer.memory", 140L << 20);
    properties.putAll(more);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void send(
      KafkaProducer<byte[], byte[]> producer, String topic, int partition, List<Message> messages)
      throws IOException, InterruptedException {
    try {
      for (Message message : messages) {
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>(topic, partition, message.key(), message.value());
        message.headers().forEach((name, value) -> record.headers().add(name, value));
        producer.send(record).get();
      }
    } catch (ExecutionException refused) {
      throw new IOException("the broker refuses a message: " + refused.getCause(), refused);
    }
  }

  /** Sends messages in one transaction that is committed or aborted. */
  public void transaction(String topic, int partition, List<Message> messages, boolean commit)
      throws IOException, InterruptedException {
    try (KafkaProducer<byte[], byte[]> producer =
        producer(
            Map.of("transactional.id", "campaign-" + topic, "transaction.timeout.ms", 20_000))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, topic, partition, messages);
      if (commit) {
        producer.commitTransaction();
      } else {
        producer.abortTransaction();
      }
    }
  }

  /** End offsets by partition. */
  public Map<Integer, Long> ends(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(consumer(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      int partitions = consumer.partitionsFor(topic, READ).size();
      Map<Integer, Long> ends = new HashMap<>();
      consumer
          .endOffsets(
              IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList(),
              READ)
          .forEach((partition, end) -> ends.put(partition.partition(), end));
      return ends;
    }
  }

  @Override
  public void close() throws InterruptedException {
    process().kill();
  }
}
