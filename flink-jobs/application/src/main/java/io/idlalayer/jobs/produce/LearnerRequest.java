package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.ControlRecord;
import io.idlalayer.jobs.topics.EventHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a request to a running application. A request that takes effect after everything that was
 * sent before writes a position mark after the data of each partition, and names the offsets of the
 * marks. For such a request, the client needs the right to write to the input topic, in addition to
 * the right to write requests. With a pattern of topics the client also needs the right to read the
 * topics of status and decisions, because they show which topics the job reads.
 *
 * <p>If writing an end of input or a request for an update runs into a timeout, it is written
 * again, a bounded number of times.
 */
public final class LearnerRequest {
  private static final Logger LOG = LoggerFactory.getLogger(LearnerRequest.class);

  private final ApplicationSettings application;
  private final String servers;
  private final int attempts;

  public LearnerRequest(ApplicationSettings application, String servers) {
    this(application, servers, Retry.ATTEMPTS_MAX);
  }

  /**
   * @param attempts largest number of attempts, above 0; each can take as long as the application's
   *     Kafka properties allow
   */
  public LearnerRequest(ApplicationSettings application, String servers, int attempts) {
    this.application = application;
    this.servers = servers;
    this.attempts = attempts;
  }

  /**
   * Reports that an input has ended: the learners then learn and publish everything that was sent
   * before, and finally the status of each learner names this end.
   *
   * @param id id of the end in the status
   * @throws IOException if the broker refuses the request or does not answer
   */
  public void end(String id) throws IOException, InterruptedException {
    end(id, Set.of());
  }

  /**
   * Reports that an input has ended.
   *
   * @param sent topics of a pattern to which something was sent before
   * @throws IOException if the job has read nothing of one of these topics a minute later; if the
   *     broker refuses the request or does not answer
   */
  public void end(String id, Set<String> sent) throws IOException, InterruptedException {
    send(ControlRecord.Type.END, List.of(id), topics(sent));
  }

  /**
   * Asks for an update of the waiting samples, after everything that was sent before.
   *
   * @throws IOException if the broker refuses the request or does not answer
   */
  public void train() throws IOException, InterruptedException {
    send(ControlRecord.Type.TRAIN, List.of(""), topics(Set.of()));
  }

  /**
   * Asks to take back the labels of some events, after everything that was sent before.
   *
   * @param events the events' own ids
   * @throws IOException if an id is too long, or the broker refuses or does not answer
   */
  public void withdraw(List<String> events) throws IOException, InterruptedException {
    send(ControlRecord.Type.RETRACT, events, topics(Set.of()));
  }

  /**
   * Asks to take back the labels of some events and to forget what was learned from their samples,
   * after everything that was sent before.
   *
   * @param events the events' own ids
   * @throws IOException if an id is too long, or the broker refuses or does not answer
   */
  public void forget(List<String> events) throws IOException, InterruptedException {
    send(ControlRecord.Type.FORGET, events, topics(Set.of()));
  }

  /**
   * Asks why a sample has its life stage; the answer is sent on the decision topic.
   *
   * @param sample the event's own id, or {@code #} and the sample's number
   * @throws IOException if the id is too long, or the broker refuses or does not answer
   */
  public void explain(String sample) throws IOException, InterruptedException {
    send(ControlRecord.Type.EXPLAIN, List.of(sample), List.of());
  }

  /** Returns the topics of events and labels that the application reads. */
  private List<String> topics(Set<String> sent) throws IOException, InterruptedException {
    ApplicationSettings.Input input = application.input();
    if (input.topicPattern() == null) {
      return input.topics();
    }
    Set<String> existing = Topics.names(application.kafka(), servers);
    ReadTopics read = ReadTopics.ask(application, servers, existing, sent);
    read.leftOut().forEach(LOG::warn);
    return application.withTopics(List.copyOf(read.topics())).input().topics();
  }

  private void send(ControlRecord.Type type, List<String> ids, List<String> topics)
      throws IOException, InterruptedException {
    for (String id : ids) {
      int bytes = id.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > ControlRecord.ID_BYTES_MAX || (bytes == 0 && type != ControlRecord.Type.TRAIN)) {
        throw new IOException(
            "an id has 1 to %d bytes, not %d".formatted(ControlRecord.ID_BYTES_MAX, bytes));
      }
    }
    Retry retry = new Retry();
    while (true) {
      try {
        write(type, ids, topics);
        return;
      } catch (IOException failed) {
        // If the first write succeeded nevertheless, the learner gets the request twice. For these
        // two kinds of requests, this makes no difference.
        boolean repeatable = type == ControlRecord.Type.END || type == ControlRecord.Type.TRAIN;
        if (!repeatable || !retry.again(failed, 0) || retry.failed() >= attempts) {
          throw failed;
        }
        LOG.warn("writing a request to {} failed and is tried again", application.name(), failed);
      }
    }
  }

  private void write(ControlRecord.Type type, List<String> ids, List<String> topics)
      throws IOException, InterruptedException {
    boolean onInput =
        application.input().controlRecords() == ApplicationSettings.ControlRecords.INPUT;
    String topic = onInput ? application.input().topic() : application.kafka().controlTopic();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            KafkaClients.producer(application.kafka(), servers, ControlRecord.BYTES_MAX),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      SortedMap<String, Long> after = mark(producer, topics);
      List<Future<RecordMetadata>> written = new ArrayList<>();
      for (String id : ids) {
        byte[] request = new ControlRecord(type, application.name(), id, after).encode();
        written.add(producer.send(record(topic, request, onInput)));
      }
      for (Future<RecordMetadata> each : written) {
        each.get();
      }
    } catch (InterruptException stopped) {
      throw (InterruptedException) new InterruptedException().initCause(stopped);
    } catch (ExecutionException | KafkaException refused) {
      Throwable cause = refused.getCause() == null ? refused : refused.getCause();
      throw new IOException(
          "cannot ask %s on topic %s at %s: %s"
              .formatted(application.name(), topic, servers, cause.getMessage()),
          refused);
    }
  }

  private ProducerRecord<byte[], byte[]> record(String topic, byte[] request, boolean onInput) {
    byte[] key = application.name().getBytes(StandardCharsets.UTF_8);
    if (!onInput) {
      return new ProducerRecord<>(topic, 0, key, request);
    }
    RecordHeaders headers = new RecordHeaders();
    headers.add(EventHeaders.CONTROL, request);
    return new ProducerRecord<>(topic, 0, (byte[]) null, new byte[0], headers);
  }

  /** Writes a position mark to each partition of topics; returns the offsets after the marks. */
  private SortedMap<String, Long> mark(KafkaProducer<byte[], byte[]> producer, List<String> topics)
      throws ExecutionException, InterruptedException {
    List<Future<RecordMetadata>> marks = new ArrayList<>();
    for (String topic : topics) {
      int partitions = producer.partitionsFor(topic).size();
      for (int partition = 0; partition < partitions; partition++) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(EventHeaders.MARK, new byte[0]);
        marks.add(
            producer.send(
                new ProducerRecord<>(topic, partition, (byte[]) null, new byte[0], headers)));
      }
    }
    SortedMap<String, Long> after = new TreeMap<>();
    for (Future<RecordMetadata> mark : marks) {
      RecordMetadata written = mark.get();
      // The first topic of a pattern can change until the job starts again.
      boolean ofEvents =
          application.input().topicPattern() == null
              && written.topic().equals(application.input().topic());
      String partition = Integer.toString(written.partition());
      after.put(ofEvents ? partition : written.topic() + "-" + partition, written.offset() + 1);
    }
    return after;
  }
}
