package io.idlalayer.jobs.lending;

import io.idlalayer.jobs.lending.LenderAnnouncement.Lender;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.models.kafka.ClientThread;
import io.idlalayer.middleware.models.kafka.TopicProducers;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Announces a lender on a topic: at once, then each period, and that it has ended when this is
 * closed. While the broker is away, announcements are lost ({@link ClientThread}); lending never
 * waits for them. The topic must exist.
 */
public final class LenderAnnouncer implements AutoCloseable {
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final long ANSWER_MILLIS = 15_000;
  private static final long LAST_ANSWER_MILLIS = 2_000;

  private final String topic;
  private final Lender lender;
  private final LongSupplier freeBytes;
  private final Duration period;
  private final ClientThread<Producer<byte[], byte[]>> thread;

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
    this.freeBytes = freeBytes;
    this.period = period;
    lender = new Lender(address, LendingProcess.CURRENT);
    thread =
        new ClientThread<>(
            "lender-announcements",
            "announcements of the lender of memory at %s on %s".formatted(address, topic),
            new Announcements(producers));
  }

  /**
   * Begins to announce a lender.
   *
   * @param address where other processes reach it, see {@link AnnouncedAddress}
   * @param freeBytes bytes that the lender could lend now; asked for by another thread
   */
  public static LenderAnnouncer start(
      LenderTopic topic, LenderAddress address, LongSupplier freeBytes) {
    LenderAnnouncer announcer =
        new LenderAnnouncer(
            topic.name(),
            new TopicProducers(topic.clientProperties(), topic.name())::open,
            address,
            freeBytes,
            PERIOD);
    announcer.begin();
    return announcer;
  }

  void begin() {
    thread.start();
  }

  private final class Announcements implements ClientThread.Work<Producer<byte[], byte[]>> {
    private final Callable<Producer<byte[], byte[]>> producers;

    Announcements(Callable<Producer<byte[], byte[]>> producers) {
      this.producers = producers;
    }

    @Override
    public Producer<byte[], byte[]> open() throws Exception {
      return producers.call();
    }

    @Override
    public void run(Producer<byte[], byte[]> producer, ClientThread.Turn turn) throws Exception {
      do {
        LenderAnnouncement announcement =
            new LenderAnnouncement(lender, freeBytes.getAsLong(), period.toMillis());
        send(producer, announcement.encode(), ANSWER_MILLIS);
        turn.succeeded();
      } while (!turn.awaitClosing(period.toMillis()));
      send(producer, null, LAST_ANSWER_MILLIS);
    }

    private void send(
        Producer<byte[], byte[]> producer, byte @Nullable [] value, long longestMillis)
        throws Exception {
      producer
          .send(new ProducerRecord<>(topic, lender.key(), value))
          .get(longestMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close(Producer<byte[], byte[]> producer, Duration longest) {
      producer.close(longest);
    }
  }

  /** Says that the lender has ended, if the broker answers within 2 s. Takes 4 s at most. */
  @Override
  public void close() {
    thread.close();
  }
}
