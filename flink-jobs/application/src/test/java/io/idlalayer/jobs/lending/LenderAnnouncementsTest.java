package io.idlalayer.jobs.lending;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.jobs.lending.LenderAnnouncement.Lender;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.models.kafka.TopicRecords;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Announcing and following with a client of Kafka in memory. */
final class LenderAnnouncementsTest {
  private static final String TOPIC = "lenders";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final LenderAddress ADDRESS = new LenderAddress("host", 7);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final AtomicLong nanos = new AtomicLong();

  private static MockProducer<byte[], byte[]> producer() {
    return new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static LenderAnnouncement said(ProducerRecord<byte[], byte[]> record) {
    return LenderAnnouncement.decode(record.key(), record.value()).orElseThrow();
  }

  @Test
  void lender_whileItRuns_isAnnouncedAgainAndAtItsEndWithdrawn() {
    MockProducer<byte[], byte[]> producer = producer();
    AtomicLong free = new AtomicLong(100);
    LenderAnnouncer announcer =
        new LenderAnnouncer(TOPIC, () -> producer, ADDRESS, free::get, Duration.ofSeconds(1));
    announcer.begin();
    await().atMost(PATIENCE).until(() -> !producer.history().isEmpty());
    free.set(50);
    await().atMost(PATIENCE).until(() -> producer.history().size() >= 2);
    announcer.close();
    LenderAnnouncement first = said(producer.history().get(0));
    assertThat(first.lender()).isEqualTo(new Lender(ADDRESS, LendingProcess.CURRENT));
    assertThat(first.freeBytes()).isEqualTo(100);
    assertThat(said(producer.history().get(1)).freeBytes()).isEqualTo(50);
    ProducerRecord<byte[], byte[]> last = producer.history().get(producer.history().size() - 1);
    assertThat(last.value()).isNull();
    assertThat(last.key()).isEqualTo(first.lender().key());
    assertThat(producer.closed()).isTrue();
  }

  @Test
  void lender_whoseBrokerIsAwayForAWhile_isAnnouncedOnceItIsBack() {
    AtomicInteger opened = new AtomicInteger();
    MockProducer<byte[], byte[]> producer = producer();
    LenderAnnouncer announcer =
        new LenderAnnouncer(
            TOPIC,
            () -> {
              if (opened.incrementAndGet() < 3) {
                throw new IOException("no broker answers");
              }
              return producer;
            },
            ADDRESS,
            () -> 1,
            Duration.ofSeconds(10));
    announcer.begin();
    await().atMost(PATIENCE).until(() -> !producer.history().isEmpty());
    announcer.close();
    assertThat(opened.get()).isEqualTo(3);
  }

  private static MockConsumer<byte[], byte[]> consumer() {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    Node node = new Node(0, "localhost", 1);
    consumer.updatePartitions(
        TOPIC, List.of(new PartitionInfo(TOPIC, 0, node, new Node[] {node}, new Node[] {node})));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, 0L));
    return consumer;
  }

  private static void add(
      MockConsumer<byte[], byte[]> consumer, int offset, byte[] key, byte @Nullable [] value) {
    await().atMost(PATIENCE).until(() -> consumer.assignment().contains(PARTITION));
    consumer.addRecord(new ConsumerRecord<>(TOPIC, 0, offset, key, value));
  }

  private static Lender lender(int port) {
    return new Lender(new LenderAddress("host", port), new LendingProcess("there", "7@7"));
  }

  private static void announce(MockConsumer<byte[], byte[]> consumer, int offset, int port) {
    LenderAnnouncement said = new LenderAnnouncement(lender(port), 10 + port, 10_000);
    add(consumer, offset, said.lender().key(), said.encode());
  }

  private LenderFollower follower(Callable<MockConsumer<byte[], byte[]>> consumers) {
    return new LenderFollower(
        TOPIC,
        () -> new TopicRecords(consumers.call(), List.of(TOPIC), LenderFollower.words("servers")),
        new LendingProcess("here", "1@1"),
        nanos::get);
  }

  @Test
  void follower_ofAnnouncementsGarbageAndEnds_knowsWhoLends() {
    MockConsumer<byte[], byte[]> consumer = consumer();
    LenderFollower follower = follower(() -> consumer);
    follower.begin();
    announce(consumer, 0, 1);
    add(consumer, 1, new byte[] {1, 2}, null);
    add(consumer, 2, new byte[] {1, 2}, new byte[] {3});
    announce(consumer, 3, 2);
    await().atMost(PATIENCE).until(() -> follower.lenders().size() == 2);
    add(consumer, 4, lender(2).key(), null);
    await().atMost(PATIENCE).until(() -> follower.lenders().size() == 1);
    assertThat(follower.lenders()).containsExactly(new LenderAddress("host", 1));
    nanos.set(Duration.ofMinutes(1).toNanos());
    assertThat(follower.lenders()).as("silent for a minute").isEmpty();
    follower.close();
    assertThat(consumer.closed()).isTrue();
  }

  @Test
  void follower_whoseConsumerFails_opensAnother() {
    MockConsumer<byte[], byte[]> first = consumer();
    MockConsumer<byte[], byte[]> second = consumer();
    AtomicInteger opened = new AtomicInteger();
    LenderFollower follower = follower(() -> opened.incrementAndGet() == 1 ? first : second);
    follower.begin();
    announce(first, 0, 1);
    await().atMost(PATIENCE).until(() -> !follower.lenders().isEmpty());
    first.setPollException(new KafkaException("gone"));
    announce(second, 0, 2);
    await().atMost(PATIENCE).until(() -> follower.lenders().size() == 2);
    follower.close();
    assertThat(first.closed()).isTrue();
    assertThat(second.closed()).isTrue();
  }

  /** The poll of a consumer whose broker is gone neither fails nor returns records. */
  @Test
  void follower_thatHearsNothing_asksWhetherTheBrokerIsThere() {
    MockConsumer<byte[], byte[]> first = consumer();
    MockConsumer<byte[], byte[]> second = consumer();
    AtomicInteger opened = new AtomicInteger();
    LenderFollower follower = follower(() -> opened.incrementAndGet() == 1 ? first : second);
    follower.begin();
    announce(first, 0, 1);
    await().atMost(PATIENCE).until(() -> !follower.lenders().isEmpty());
    first.setOffsetsException(new TimeoutException("no answer"));
    nanos.set(Duration.ofMinutes(1).toNanos());
    announce(second, 0, 2);
    await().atMost(PATIENCE).until(() -> !follower.lenders().isEmpty());
    assertThat(opened.get()).isEqualTo(2);
    follower.close();
  }
}
