package io.idlalayer.jobs.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.models.kafka.ClientThread;
import io.idlalayer.middleware.models.kafka.TopicRecords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the announcements of lenders in the background ({@link ClientThread}). If it knows no
 * lender after half a minute, it logs that once, and why if it knows.
 */
final class LenderFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LenderFollower.class);
  private static final Duration POLL = Duration.ofMillis(500);

  /** Without a record for so long, the broker is asked whether it is still there. */
  private static final long SILENCE_NANOS = Duration.ofSeconds(30).toNanos();

  private final String topic;
  private final Callable<TopicRecords> records;
  private final LongSupplier nanoTime;
  private final LenderRoster roster;
  private final ClientThread<TopicRecords> thread;

  /**
   * @param records opens the topic, again after it could not be read
   * @param self this process, which does not borrow from itself
   * @param nanoTime monotonic time in nanoseconds
   */
  LenderFollower(
      String topic, Callable<TopicRecords> records, LendingProcess self, LongSupplier nanoTime) {
    this.topic = topic;
    this.records = records;
    this.nanoTime = nanoTime;
    roster = new LenderRoster(self);
    thread =
        new ClientThread<>(
            "lenders-of-" + topic, "news of lenders of memory on " + topic, new Following());
  }

  /** Begins to follow a topic. */
  static LenderFollower start(LenderTopic topic) {
    LenderFollower follower =
        new LenderFollower(
            topic.name(),
            () ->
                new TopicRecords(
                    topic.consumerProperties(), List.of(topic.name()), words(topic.servers())),
            LendingProcess.CURRENT,
            System::nanoTime);
    follower.begin();
    return follower;
  }

  static TopicRecords.Words words(String servers) {
    return new TopicRecords.Words(
        "announcements of lenders",
        "no lender is found",
        servers,
        "check kafka.properties of the application file");
  }

  void begin() {
    thread.start();
  }

  /** Returns the lenders with free memory, those with the most first. */
  List<LenderAddress> lenders() {
    return roster.lenders(nanoTime.getAsLong());
  }

  private final class Following implements ClientThread.Work<TopicRecords> {
    private final long beganNanos = nanoTime.getAsLong();
    private boolean lonely = true;

    @Override
    public TopicRecords open() throws Exception {
      return records.call();
    }

    @Override
    public void run(TopicRecords from, ClientThread.Turn turn) throws IOException {
      turn.succeeded();
      long heardNanos = nanoTime.getAsLong();
      while (!turn.closing()) {
        List<TopicRecords.Received> received = from.poll(POLL);
        received.forEach(each -> read(each.record()));
        long now = nanoTime.getAsLong();
        if (!received.isEmpty()) {
          heardNanos = now;
        } else if (now - heardNanos > SILENCE_NANOS) {
          from.check();
          heardNanos = now;
        }
        sayIfAlone(now);
      }
    }

    private void read(ConsumerRecord<byte[], byte[]> record) {
      byte[] key = record.key();
      if (key != null && record.value() == null) {
        roster.ended(new String(key, StandardCharsets.UTF_8));
      } else {
        LenderAnnouncement.decode(key, record.value())
            .ifPresent(each -> roster.heard(each, nanoTime.getAsLong()));
      }
    }

    private void sayIfAlone(long now) {
      if (lonely && !roster.lenders(now).isEmpty()) {
        lonely = false;
      } else if (lonely && now - beganNanos > SILENCE_NANOS) {
        lonely = false;
        int unreachable = roster.unreachable();
        LOG.warn(
            "no lender of memory with free bytes has announced itself on {} for half a minute, so nothing is borrowed{}",
            topic,
            unreachable == 0
                ? ""
                : "; %d lenders can only be reached on their own machines, because they listen on loopback addresses"
                    .formatted(unreachable));
      }
    }

    @Override
    public void close(TopicRecords from, Duration longest) {
      from.close();
    }
  }

  /** Ends the thread. Takes 4 s at most. */
  @Override
  public void close() {
    thread.close();
  }
}
