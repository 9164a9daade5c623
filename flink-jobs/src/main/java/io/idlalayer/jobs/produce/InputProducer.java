package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.source.EventHeaders;
import io.idlalayer.middleware.sample.RecordReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a file's records to an application's input topic, each with a header that says where it was
 * read. A producer that was killed continues where the topic ends: nothing is sent twice.
 */
public final class InputProducer {
  private final ApplicationSettings application;
  private final String servers;

  public InputProducer(ApplicationSettings application, String servers) {
    this.application = application;
    this.servers = servers;
  }

  /**
   * What to send.
   *
   * @param name name of the input in the records' headers
   * @param limit most records, {@link Long#MAX_VALUE} for all
   * @param eventsPerSecond 0 for as fast as possible
   * @param markEnd whether to mark the end of the input in every partition
   */
  public record Request(String name, long limit, double eventsPerSecond, boolean markEnd) {}

  /**
   * What was sent.
   *
   * @param resumedAfter records that were in the topic already
   */
  public record Sent(long records, long resumedAfter) {}

  /**
   * Sends and waits until the broker has everything.
   *
   * @throws IOException if the input is damaged or the broker refuses, naming the record
   */
  public Sent send(RecordReader input, Request request) throws IOException, InterruptedException {
    InputProgress progress = InputProgress.of(application, servers, request.name());
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            KafkaClients.producer(application.kafka(), servers),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      Pacer pacer = new Pacer(request.eventsPerSecond(), System::nanoTime);
      long index = 0;
      long sent = 0;
      while (index < request.limit() && input.next()) {
        index++;
        int partition = (int) ((index - 1) % progress.partitions());
        if (index <= progress.lastSent(partition)) {
          continue;
        }
        pacer.await();
        Future<?> unused =
            producer.send(
                record(partition, input.record(), request.name() + "#" + index),
                (metadata, refused) -> failure.compareAndSet(null, refused));
        pacer.sent();
        sent++;
        check(failure.get(), index);
      }
      if (request.markEnd()) {
        markEnd(producer, progress);
      }
      producer.flush();
      check(failure.get(), index);
      return new Sent(sent, index - sent);
    } catch (InterruptException stopped) {
      throw (InterruptedException) new InterruptedException().initCause(stopped);
    }
  }

  private ProducerRecord<byte[], byte[]> record(int partition, byte[] value, String source) {
    RecordHeaders headers = new RecordHeaders();
    headers.add(EventHeaders.SOURCE, source.getBytes(StandardCharsets.UTF_8));
    return new ProducerRecord<>(
        application.input().topic(), partition, (byte[]) null, value, headers);
  }

  private void markEnd(KafkaProducer<byte[], byte[]> producer, InputProgress progress) {
    byte[] partitions = Integer.toString(progress.partitions()).getBytes(StandardCharsets.UTF_8);
    List<Integer> open = progress.partitionsWithoutEnd();
    for (int partition : open) {
      RecordHeaders headers = new RecordHeaders();
      headers.add(EventHeaders.END, partitions);
      headers.add(EventHeaders.SOURCE, (progress.name() + "#end").getBytes(StandardCharsets.UTF_8));
      Future<?> unused =
          producer.send(
              new ProducerRecord<>(
                  application.input().topic(), partition, (byte[]) null, new byte[0], headers));
    }
  }

  private void check(@Nullable Exception failure, long index) throws IOException {
    if (failure != null) {
      throw new IOException(
          "topic %s refuses a record at or before number %d: %s"
              .formatted(application.input().topic(), index, failure.getMessage()),
          failure);
    }
  }
}
