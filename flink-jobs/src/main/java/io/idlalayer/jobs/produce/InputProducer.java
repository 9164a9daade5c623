package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.source.DeadLetter;
import io.idlalayer.jobs.source.EventHeaders;
import io.idlalayer.jobs.source.InputTopics;
import io.idlalayer.jobs.source.KafkaInputTopics;
import io.idlalayer.middleware.sample.RecordReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends an input's records to an application's input topic, each with headers that say which record
 * of which input it is. How far it got is noted on the inputs topic about once a second, so that a
 * producer that was killed continues where it was, whatever else was written to the topic. What a
 * killed producer had still under way may arrive twice; the job tells by the headers, and learns it
 * once.
 *
 * <p>A record that is too long for its topic is sent as its beginning with its length, so that it
 * is counted and ends in the dead letters like every other event that cannot be read.
 */
public final class InputProducer {
  private static final long NOTE_NANOS = 1_000_000_000L;

  /** A record above this is sent by itself, so that a refusal is known before the next is sent. */
  private static final int LARGE_BYTES = 256 << 10;

  private final ApplicationSettings application;
  private final String servers;

  public InputProducer(ApplicationSettings application, String servers) {
    this.application = application;
    this.servers = servers;
  }

  /**
   * How to send.
   *
   * @param limit most records of the input, those that were sent before included; {@link
   *     Long#MAX_VALUE} for all
   * @param eventsPerSecond 0 for as fast as possible
   */
  public record Request(long limit, double eventsPerSecond) {}

  /**
   * What was sent.
   *
   * @param records sent now
   * @param before were in the topic already
   * @param shortened of those sent now, too long for the topic: only their beginnings were sent
   */
  public record Sent(long records, long before, long shortened) {}

  /**
   * Sends and waits until the broker has everything.
   *
   * @throws IOException if the input is damaged or the broker refuses, naming the record
   */
  public Sent send(InputSource input, Request request) throws IOException, InterruptedException {
    String topic = application.input().topic();
    InputTopics.Facts facts =
        new KafkaInputTopics(application.kafka(), servers).look(Set.of(topic)).get(topic);
    if (facts == null) {
      throw new IOException("topic " + topic + " does not exist at " + servers);
    }
    InputProgress before = new SentInputs(application, servers).progress(input, facts);
    try (RecordReader reader = input.opener().open();
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                KafkaClients.producer(
                    application.kafka(), servers, application.input().maxEventBytes()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      return new Sending(producer, before, facts.partitions().size(), System::nanoTime)
          .send(reader, request);
    } catch (InterruptException stopped) {
      throw (InterruptedException) new InterruptedException().initCause(stopped);
    } catch (KafkaException refused) {
      throw new IOException(
          "cannot send %s to topic %s at %s: %s"
              .formatted(input.name(), topic, servers, refused.getMessage()),
          refused);
    }
  }

  /** One input being sent. Confined to one thread but for what the broker acknowledges. */
  private final class Sending {
    private final KafkaProducer<byte[], byte[]> producer;
    private final long inputNumber;
    private final LongSupplier nanoClock;
    private final int partitions;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Acknowledged acknowledged;
    private InputProgress progress;
    private long notedAtNanos;
    private long sent;
    private long shortened;

    Sending(
        KafkaProducer<byte[], byte[]> producer,
        InputProgress before,
        int partitions,
        LongSupplier nanoClock) {
      this.producer = producer;
      this.progress = before;
      this.partitions = partitions;
      this.nanoClock = nanoClock;
      inputNumber = EventHeaders.inputNumber(before.id());
      acknowledged = new Acknowledged(before);
      notedAtNanos = nanoClock.getAsLong();
    }

    Sent send(RecordReader input, Request request) throws IOException, InterruptedException {
      Pacer pacer = new Pacer(request.eventsPerSecond(), nanoClock);
      long highest = progress.highest();
      long number = 0;
      // Before the first record, so that it is known where to look for what comes after.
      note(true);
      producer.flush();
      check(0);
      while (number < request.limit() && input.next()) {
        number++;
        if (progress.contains(number)) {
          continue;
        }
        if (number > highest && highest > progress.base()
            || number > highest && partitions != progress.partitions()) {
          closeGaps(number - 1);
        }
        pacer.await();
        send(number, input.record());
        pacer.sent();
        if (nanoClock.getAsLong() - notedAtNanos > NOTE_NANOS) {
          note(true);
        }
        check(number);
      }
      producer.flush();
      check(number);
      note(false);
      producer.flush();
      check(number);
      return new Sent(sent, number - sent, shortened);
    }

    /** All up to a number are in the topic; what follows may be spread over more partitions. */
    private void closeGaps(long complete) throws IOException {
      producer.flush();
      check(complete);
      progress = acknowledged.grown(progress, complete, partitions);
    }

    private void send(long number, byte[] value) throws IOException, InterruptedException {
      int partition = progress.partition(number);
      sent++;
      if (value.length > application.input().maxEventBytes()) {
        sendShortened(partition, number, value);
      } else if (value.length <= LARGE_BYTES) {
        Future<?> unused =
            producer.send(
                record(partition, number, value),
                (metadata, refused) -> acknowledge(partition, number, metadata, refused));
      } else {
        sendLarge(partition, number, value);
      }
    }

    private void sendLarge(int partition, long number, byte[] value)
        throws IOException, InterruptedException {
      try {
        acknowledged.arrived(
            partition, number, producer.send(record(partition, number, value)).get().offset());
      } catch (ExecutionException refused) {
        if (!(refused.getCause() instanceof RecordTooLargeException)) {
          throw refusal(number, refused);
        }
        sendShortened(partition, number, value);
      }
    }

    private void sendShortened(int partition, long number, byte[] value) {
      shortened++;
      int kept = Math.min(value.length, DeadLetter.EVENT_BYTES_MAX);
      ProducerRecord<byte[], byte[]> record = record(partition, number, Arrays.copyOf(value, kept));
      record
          .headers()
          .add(
              EventHeaders.LENGTH, Integer.toString(value.length).getBytes(StandardCharsets.UTF_8));
      Future<?> unused =
          producer.send(
              record, (metadata, refused) -> acknowledge(partition, number, metadata, refused));
    }

    private void acknowledge(
        int partition,
        long number,
        @Nullable RecordMetadata metadata,
        @Nullable Exception refused) {
      if (refused != null) {
        failure.compareAndSet(null, refused);
      } else if (metadata != null) {
        acknowledged.arrived(partition, number, metadata.offset());
      }
    }

    private ProducerRecord<byte[], byte[]> record(int partition, long number, byte[] value) {
      RecordHeaders headers = new RecordHeaders();
      EventHeaders.add(headers, new EventHeaders.Identity(inputNumber, number));
      headers.add(
          EventHeaders.SOURCE, (progress.name() + "#" + number).getBytes(StandardCharsets.UTF_8));
      return new ProducerRecord<>(
          application.input().topic(), partition, (byte[]) null, value, headers);
    }

    /** Notes on the inputs topic how far this is. */
    private void note(boolean open) {
      notedAtNanos = nanoClock.getAsLong();
      InputProgress now = acknowledged.progress(progress, open);
      Future<?> unused =
          producer.send(
              new ProducerRecord<>(
                  application.kafka().inputsTopic(), 0, SentInputs.key(now), now.encode()),
              (metadata, refused) -> {
                if (refused != null) {
                  failure.compareAndSet(null, refused);
                }
              });
    }

    private void check(long number) throws IOException {
      Exception refused = failure.get();
      if (refused != null) {
        throw refusal(number, refused);
      }
    }

    private IOException refusal(long number, Exception refused) {
      Throwable cause = refused.getCause() == null ? refused : refused.getCause();
      return new IOException(
          "topic %s refuses a record at or before number %d: %s"
              .formatted(application.input().topic(), number, cause.getMessage()),
          refused);
    }
  }

  /** What the broker has, by partition. Safe for the producer's own thread. */
  private static final class Acknowledged {
    private long[] sent;
    private long[] next;

    Acknowledged(InputProgress before) {
      sent = before.sent().stream().mapToLong(Long::longValue).toArray();
      next = before.next().stream().mapToLong(Long::longValue).toArray();
    }

    synchronized void arrived(int partition, long number, long offset) {
      if (number > sent[partition]) {
        sent[partition] = number;
        next[partition] = offset + 1;
      }
    }

    synchronized InputProgress progress(InputProgress of, boolean open) {
      return of.reached(of.base(), sent, next, open);
    }

    /** With nothing under way: the same for a topic that may have more partitions by now. */
    synchronized InputProgress grown(InputProgress of, long complete, int partitions) {
      sent = Arrays.copyOf(sent, partitions);
      next = Arrays.copyOf(next, partitions);
      return of.reached(complete, sent, next, true);
    }
  }
}
