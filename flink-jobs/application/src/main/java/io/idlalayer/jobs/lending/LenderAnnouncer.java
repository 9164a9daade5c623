package io.idlalayer.jobs.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.models.kafka.KafkaReasons;
import io.idlalayer.middleware.models.kafka.TopicProducers;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces a lender on a topic: at once, then each period, and that it has ended when this is
 * closed. It has a thread of its own, for which lending never waits: while the broker is away,
 * announcements are lost, one line is logged, and the thread tries again, with pauses that double
 * up to 30 s. The topic must exist.
 */
public final class LenderAnnouncer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LenderAnnouncer.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;
  private static final long ANSWER_MILLIS = 15_000;
  private static final long LAST_ANSWER_MILLIS = 2_000;
  private static final long CLOSE_MILLIS = 3_000;
  private static final Duration CLOSING = Duration.ofSeconds(1);

  private final String topic;
  private final Callable<Producer<byte[], byte[]>> producers;
  private final LenderAddress address;
  private final LongSupplier freeBytes;
  private final Duration period;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "lender-announcements");
  private boolean failing;

  /**
   * @param producers opens a producer, again after one has failed
   * @param freeBytes bytes that the lender could lend now
   */
  LenderAnnouncer(
      String topic,
      Callable<Producer<byte[], byte[]>> producers,
      LenderAddress address,
      LongSupplier freeBytes,
      Duration period) {
    this.topic = topic;
    this.producers = producers;
    this.address = address;
    this.freeBytes = freeBytes;
    this.period = period;
    thread.setDaemon(true);
  }

  /**
   * Begins to announce a lender.
   *
   * @param bound address and port on which it listens; if it is that of all interfaces, the
   *     lender's name is that of this host
   * @param freeBytes bytes that the lender could lend now; asked for by another thread
   */
  public static LenderAnnouncer start(
      LenderTopic topic, InetSocketAddress bound, LongSupplier freeBytes) {
    String host =
        bound.getAddress().isAnyLocalAddress() ? LendingProcess.host() : bound.getHostString();
    LenderAnnouncer announcer =
        new LenderAnnouncer(
            topic.name(),
            new TopicProducers(topic.clientProperties(), topic.name())::open,
            new LenderAddress(host, bound.getPort()),
            freeBytes,
            PERIOD);
    announcer.begin();
    return announcer;
  }

  /** Returns the address that is announced. */
  public LenderAddress address() {
    return address;
  }

  void begin() {
    thread.start();
  }

  private void run() {
    long pauseMillis = FIRST_PAUSE_MILLIS;
    while (closing.getCount() > 0) {
      Producer<byte[], byte[]> producer = null;
      boolean ended = false;
      try {
        producer = producers.call();
        do {
          send(producer, announcement().encode(), ANSWER_MILLIS);
          failing = false;
          pauseMillis = FIRST_PAUSE_MILLIS;
        } while (!closing.await(period.toMillis(), TimeUnit.MILLISECONDS));
        send(producer, null, LAST_ANSWER_MILLIS);
        ended = true;
      } catch (InterruptedException interrupted) {
        // Only close() ends this thread; the loop looks.
        LOG.debug("interrupted between announcements on {}", topic);
      } catch (Throwable failed) {
        note(failed);
      } finally {
        close(producer, ended);
      }
      pauseMillis = pause(pauseMillis);
    }
  }

  private LenderAnnouncement announcement() {
    return new LenderAnnouncement(
        address, LendingProcess.name(), freeBytes.getAsLong(), period.toMillis());
  }

  private void send(Producer<byte[], byte[]> producer, byte @Nullable [] value, long longestMillis)
      throws Exception {
    producer
        .send(new ProducerRecord<>(topic, LenderAnnouncement.key(address), value))
        .get(longestMillis, TimeUnit.MILLISECONDS);
  }

  private void note(Throwable failed) {
    if (!failing && closing.getCount() > 0) {
      LOG.warn(
          "the lender of memory at {} is not announced on {}, tried again from time to time: {}",
          address,
          topic,
          KafkaReasons.text(failed));
    }
    failing = true;
  }

  private static void close(@Nullable Producer<byte[], byte[]> producer, boolean ended) {
    // Some clients refuse to close on an interrupted thread.
    Thread.interrupted();
    try {
      if (producer != null) {
        producer.close(ended ? CLOSING : Duration.ZERO);
      }
    } catch (Throwable failed) {
      LOG.debug("a producer that failed cannot be closed", failed);
    }
  }

  private long pause(long millis) {
    try {
      closing.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      LOG.debug("interrupted between two attempts to announce");
    }
    return Math.min(LONGEST_PAUSE_MILLIS, millis * 2);
  }

  /** Says that the lender has ended, if the broker answers within 2 s. Takes 4 s at most. */
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
