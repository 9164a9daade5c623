package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.EventHeaders;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * One producer that sends the missing records of an input, until all are sent or a record fails.
 * The first failure closes the producer at once, on the thread that reports it: its buffered
 * records are not sent, because they would arrive without the failed record. Confined to one
 * thread, except for acknowledgements.
 */
final class SendAttempt {
  private static final long NOTE_NANOS = 1_000_000_000L;

  private final ApplicationSettings application;
  private final Producer<byte[], byte[]> producer;
  private final SentRecords records;
  private final int partitions;
  private final int largeBytes;
  private final LongSupplier nanoClock;
  private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
  private final AtomicLong shortened = new AtomicLong();
  private final AtomicInteger tooLongBytes = new AtomicInteger(Integer.MAX_VALUE);
  private long notedAtNanos;

  /** Place, in the input, of the record that is being sent now, in words; "" if it has none. */
  private String place = "";

  /**
   * The first failure of this attempt to send.
   *
   * @param what description of what was sent: a record of the input, or a note of the progress
   */
  private record Failure(String topic, String what, Exception cause) {
    IOException described() {
      Throwable reason = cause.getCause() == null ? cause : cause.getCause();
      return new IOException(
          "topic %s did not take %s: %s".formatted(topic, what, reason.getMessage()), cause);
    }
  }

  /**
   * @param producer the producer; closed by the caller, and by this attempt at the first failure
   * @param records the records in the topic; updated as the broker acknowledges records
   * @param partitions current number of partitions of the topic
   * @param largeBytes size above which a record is sent alone: if the broker refuses it, only its
   *     beginning is sent, before the next record
   */
  SendAttempt(
      ApplicationSettings application,
      Producer<byte[], byte[]> producer,
      SentRecords records,
      int partitions,
      int largeBytes,
      LongSupplier nanoClock) {
    this.application = application;
    this.producer = producer;
    this.records = records;
    this.partitions = partitions;
    this.largeBytes = largeBytes;
    this.nanoClock = nanoClock;
    notedAtNanos = nanoClock.getAsLong();
  }

  /**
   * Returns how many acknowledged records were too long, so that only their beginnings were sent.
   */
  long shortened() {
    return shortened.get();
  }

  /**
   * Returns the size in bytes of the smallest record that was refused as too long, among the
   * records that were not sent alone; the largest int if there is none.
   */
  int tooLongBytes() {
    return tooLongBytes.get();
  }

  /**
   * Sends the missing records of an input, and waits until the broker has stored them.
   *
   * @return number of records of the input, up to the limit
   * @throws IOException if the input is damaged or a record failed; the message names the record
   */
  long send(RecordReader input, InputProducer.Request request)
      throws IOException, InterruptedException {
    Pacer pacer = new Pacer(request.eventsPerSecond(), nanoClock);
    long highest = records.highest();
    long number = 0;
    // The note is written before the first record, so that later attempts know from which offset on
    // to search.
    note(true);
    flush();
    while (number < request.limit() && next(input, number)) {
      number++;
      if (number <= highest && records.contains(number)) {
        continue;
      }
      if (number > highest && partitions != records.partitions()) {
        grow(number - 1);
      }
      pacer.await();
      send(number, input);
      pacer.sent();
      if (nanoClock.getAsLong() - notedAtNanos > NOTE_NANOS) {
        note(true);
      }
      check();
    }
    flush();
    note(false);
    flush();
    return number;
  }

  /**
   * Advances to the next record.
   *
   * @param before number of records before this record; if the input is damaged after them, the
   *     broker has stored all of them
   * @throws UnreadableFileException if the input is damaged; the message says what became of these
   *     records
   */
  private boolean next(RecordReader input, long before) throws IOException {
    try {
      return input.next();
    } catch (UnreadableFileException damaged) {
      flush();
      note(false);
      flush();
      if (before == 0) {
        throw damaged.adding("nothing of it was sent");
      }
      throw damaged.adding(
          String.format(
              Locale.ROOT,
              before == 1
                  ? "the record before is in topic %2$s, and a run learns it"
                  : "the %,d records before are in topic %s, and a run learns them",
              before,
              application.input().topic()),
          damaged.isCutOff()
              ? "give the whole file under this name, and only the rest of it is sent"
              : "give the undamaged file, and it is sent whole");
    }
  }

  /**
   * Records that the topic got more partitions: all records below {@code complete} are sent, and
   * later records are spread over the new partitions too. The note is written before that, because
   * a restart with the old note would not look for records in the new partitions.
   */
  private void grow(long complete) throws IOException {
    flush();
    records.grow(complete, partitions);
    note(true);
    flush();
  }

  private void send(long number, RecordReader input) throws IOException, InterruptedException {
    byte[] value = input.record();
    place = input.place();
    if (value.length > application.input().maxEventBytes()) {
      sendShortened(number, value);
    } else if (value.length <= largeBytes) {
      EventHeaders.Identity identity = records.identity(number);
      Future<?> unused =
          hand(
              record(identity, value),
              (metadata, refused) -> {
                if (refused instanceof RecordTooLargeException) {
                  tooLongBytes.accumulateAndGet(value.length, Math::min);
                }
                acknowledge(identity, metadata, refused);
              });
    } else {
      sendLarge(number, value);
    }
  }

  private void sendLarge(long number, byte[] value) throws IOException, InterruptedException {
    EventHeaders.Identity identity = records.identity(number);
    Future<RecordMetadata> written =
        hand(
            record(identity, value),
            (metadata, refused) -> {
              if (!(refused instanceof RecordTooLargeException)) {
                acknowledge(identity, metadata, refused);
              }
            });
    try {
      written.get();
    } catch (ExecutionException refused) {
      check();
      if (!(refused.getCause() instanceof RecordTooLargeException)) {
        throw new Failure(application.input().topic(), what(identity), refused).described();
      }
      sendShortened(number, value);
    }
  }

  private void sendShortened(long number, byte[] value) throws IOException {
    EventHeaders.Identity identity = records.identity(number);
    int length = Math.min(value.length, DeadLetter.EVENT_BYTES_MAX);
    ProducerRecord<byte[], byte[]> record = record(identity, Arrays.copyOf(value, length));
    record
        .headers()
        .add(EventHeaders.LENGTH, Integer.toString(value.length).getBytes(StandardCharsets.UTF_8));
    Future<?> unused =
        hand(
            record,
            (metadata, refused) -> {
              if (refused == null) {
                shortened.incrementAndGet();
              }
              acknowledge(identity, metadata, refused);
            });
  }

  private void acknowledge(
      EventHeaders.Identity identity,
      @Nullable RecordMetadata metadata,
      @Nullable Exception refused) {
    if (refused != null) {
      fail(new Failure(application.input().topic(), what(identity), refused));
    } else if (metadata != null && !records.acknowledged(identity, metadata.offset())) {
      fail(
          new Failure(
              application.input().topic(),
              what(identity),
              new OutOfOrderSequenceException("an earlier record of its partition is missing")));
    }
  }

  private static String what(EventHeaders.Identity identity) {
    return "record number " + identity.number();
  }

  private void fail(Failure first) {
    if (failure.compareAndSet(null, first)) {
      producer.close(Duration.ZERO);
    }
  }

  private ProducerRecord<byte[], byte[]> record(EventHeaders.Identity identity, byte[] value) {
    RecordHeaders headers = new RecordHeaders();
    EventHeaders.add(headers, identity);
    headers.add(EventHeaders.SOURCE, origin(identity).getBytes(StandardCharsets.UTF_8));
    return new ProducerRecord<>(
        application.input().topic(),
        records.partition(identity.number()),
        (byte[]) null,
        value,
        headers);
  }

  private String origin(EventHeaders.Identity identity) {
    String record = records.name() + "#" + identity.number();
    return place.isEmpty() ? record : record + ", " + place;
  }

  /** Writes to the inputs topic how far the input is sent. */
  private void note(boolean open) throws IOException {
    notedAtNanos = nanoClock.getAsLong();
    InputProgress now = records.progress(open);
    String topic = application.kafka().inputsTopic();
    Future<?> unused =
        hand(
            new ProducerRecord<>(topic, 0, SentInputs.key(now), now.encode()),
            (metadata, refused) -> {
              if (refused != null) {
                fail(new Failure(topic, "how far " + now.name() + " was sent", refused));
              }
            });
  }

  private Future<RecordMetadata> hand(ProducerRecord<byte[], byte[]> record, Callback callback)
      throws IOException {
    try {
      return producer.send(record, callback);
    } catch (KafkaException | IllegalStateException closed) {
      // A producer that a failure has closed reports that it is closed, but not the reason.
      check();
      throw closed;
    }
  }

  private void flush() throws IOException {
    producer.flush();
    check();
  }

  private void check() throws IOException {
    Failure first = failure.get();
    if (first != null) {
      throw first.described();
    }
  }
}
