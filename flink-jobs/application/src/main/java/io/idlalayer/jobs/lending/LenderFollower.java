package io.idlalayer.jobs.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.models.kafka.KafkaReasons;
import io.idlalayer.middleware.models.kafka.bounds.BoundedConsumer;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the announcements of lenders in the background. If the topic does not exist or the broker
 * is away, one line is logged, and the thread tries again, with pauses that double up to 30 s.
 */
final class LenderFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LenderFollower.class);

  /** Largest number of past records that are read of each topic partition. */
  private static final long MOST_PAST = 2_000;

  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration CLOSING = Duration.ofSeconds(1);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;
  private static final long CLOSE_MILLIS = 3_000;

  private final String topic;
  private final Callable<Consumer<byte[], byte[]>> consumers;
  private final LongSupplier nanoTime;
  private final LenderRoster roster;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private boolean failing;

  /**
   * @param consumers opens a consumer, again after one has failed
   * @param self name of this process, which does not borrow from itself
   * @param nanoTime monotonic time in nanoseconds
   */
  LenderFollower(
      String topic,
      Callable<Consumer<byte[], byte[]>> consumers,
      String self,
      LongSupplier nanoTime) {
    this.topic = topic;
    this.consumers = consumers;
    this.nanoTime = nanoTime;
    roster = new LenderRoster(self);
    thread = new Thread(this::run, "lenders-of-" + topic);
    thread.setDaemon(true);
  }

  /** Begins to follow a topic. */
  static LenderFollower start(LenderTopic topic) {
    LenderFollower follower =
        new LenderFollower(
            topic.name(),
            () -> new BoundedConsumer(topic.consumerProperties(), UnpackLimits.OWN_TOPICS),
            LendingProcess.name(),
            System::nanoTime);
    follower.begin();
    return follower;
  }

  void begin() {
    thread.start();
  }

  /** Returns the lenders with free memory, those with the most first. */
  List<LenderAddress> lenders() {
    return roster.lenders(nanoTime.getAsLong());
  }

  private void run() {
    long pauseMillis = FIRST_PAUSE_MILLIS;
    while (closing.getCount() > 0) {
      Consumer<byte[], byte[]> consumer = null;
      try {
        consumer = consumers.call();
        assign(consumer);
        failing = false;
        pauseMillis = FIRST_PAUSE_MILLIS;
        while (closing.getCount() > 0) {
          for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
            read(each);
          }
        }
      } catch (Throwable failed) {
        note(failed);
      } finally {
        close(consumer);
      }
      pauseMillis = pause(pauseMillis);
    }
  }

  private void assign(Consumer<byte[], byte[]> consumer) throws IOException {
    @Nullable List<PartitionInfo> infos = consumer.partitionsFor(topic);
    if (infos == null || infos.isEmpty()) {
      throw new IOException("there is no topic " + topic);
    }
    List<TopicPartition> partitions =
        infos.stream().map(each -> new TopicPartition(each.topic(), each.partition())).toList();
    consumer.assign(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    consumer
        .beginningOffsets(partitions)
        .forEach(
            (partition, first) ->
                consumer.seek(
                    partition, Math.max(first, ends.getOrDefault(partition, 0L) - MOST_PAST)));
  }

  private void read(ConsumerRecord<byte[], byte[]> record) {
    byte @Nullable [] key = record.key();
    if (key != null && record.value() == null) {
      try {
        roster.ended(LenderAddress.parse(new String(key, StandardCharsets.UTF_8)));
      } catch (IllegalArgumentException garbage) {
        LOG.debug("topic {}, offset {}: the key is no address of a lender", topic, record.offset());
      }
    } else {
      LenderAnnouncement.decode(key, record.value())
          .ifPresent(each -> roster.heard(each, nanoTime.getAsLong()));
    }
  }

  private void note(Throwable failed) {
    if (!failing && closing.getCount() > 0) {
      LOG.warn(
          "lenders of memory are not found on {}, tried again from time to time: {}",
          topic,
          KafkaReasons.text(failed));
    }
    failing = true;
  }

  private static void close(@Nullable Consumer<byte[], byte[]> consumer) {
    // Some clients refuse to close on an interrupted thread.
    Thread.interrupted();
    try {
      if (consumer != null) {
        consumer.close(CloseOptions.timeout(CLOSING));
      }
    } catch (Throwable failed) {
      LOG.debug("a consumer that failed cannot be closed", failed);
    }
  }

  private long pause(long millis) {
    try {
      closing.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      LOG.debug("interrupted between two attempts to find lenders");
    }
    return Math.min(LONGEST_PAUSE_MILLIS, millis * 2);
  }

  /** Ends the thread. Takes 4 s at most. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join(CLOSE_MILLIS);
      if (thread.isAlive()) {
        thread.interrupt();
        thread.join(CLOSING.toMillis());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
