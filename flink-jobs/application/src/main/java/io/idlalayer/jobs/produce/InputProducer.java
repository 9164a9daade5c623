package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.InputTopics;
import io.idlalayer.jobs.topics.KafkaInputTopics;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends an input's records to an application's input topic, each with headers that identify the
 * input and the record. The producer writes its progress to the inputs topic about once a second.
 * So if a producer was killed, the next one continues at this point, whatever else was written to
 * the input topic. Records that a killed producer had in flight can arrive twice; the job
 * recognizes them by their headers, and learns them once.
 *
 * <p>A transient failure (a timeout, because a broker is unreachable or a clock was set) does not
 * end the sending. Another producer reads which records are in the topic and sends the missing
 * ones, until {@value Retry#ATTEMPTS_MAX} successive attempts made no progress.
 *
 * <p>If a record is too long for its topic, its beginning is sent with its length, so that it is
 * counted and gets into the dead letters like every other unreadable event.
 */
public final class InputProducer {
  private static final Logger LOG = LoggerFactory.getLogger(InputProducer.class);
  private static final int LARGE_BYTES = 256 << 10;

  private final ApplicationSettings application;
  private final String servers;
  private final InputTopics topics;
  private final SentInputs sentInputs;
  private final Supplier<Producer<byte[], byte[]>> producers;

  /**
   * @param application application to whose topic of events the records are sent
   * @throws IllegalArgumentException if the application has several topics of events
   */
  public InputProducer(ApplicationSettings application, String servers) {
    this(
        application,
        servers,
        new KafkaInputTopics(application.kafka(), servers),
        new SentInputs(application, servers),
        () ->
            new KafkaProducer<>(
                properties(application, servers),
                new ByteArraySerializer(),
                new ByteArraySerializer()));
  }

  /** Returns the properties of the producer of an application's input. */
  static Map<String, Object> properties(ApplicationSettings application, String servers) {
    Map<String, Object> properties =
        KafkaClients.producer(application.kafka(), servers, application.input().maxEventBytes());
    // The processor time of producers without a client id counts as that of updates.
    properties.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, "input-" + application.name());
    return properties;
  }

  /**
   * @param producers creates a new producer for each attempt
   * @throws IllegalArgumentException if the application has several topics of events
   */
  InputProducer(
      ApplicationSettings application,
      String servers,
      InputTopics topics,
      SentInputs sentInputs,
      Supplier<Producer<byte[], byte[]>> producers) {
    if (!application.input().furtherTopics().isEmpty()) {
      throw new IllegalArgumentException(
          "%s reads topics %s: say to which one with ofTopic"
              .formatted(application.name(), application.input().eventTopics()));
    }
    this.application = application;
    this.servers = servers;
    this.topics = topics;
    this.sentInputs = sentInputs;
    this.producers = producers;
  }

  /**
   * The options for sending an input.
   *
   * @param limit largest number of records of the input, including records that were sent before;
   *     {@link Long#MAX_VALUE} for all records
   * @param eventsPerSecond rate limit; 0 for no limit
   */
  public record Request(long limit, double eventsPerSecond) {}

  /**
   * The result of sending an input: numbers of records.
   *
   * @param records number of records sent now
   * @param before number of records that were in the topic already
   * @param shortened number of records, among those sent now, that were too long for the topic;
   *     only their beginnings were sent
   */
  public record Sent(long records, long before, long shortened) {}

  /**
   * Sends the records of an input that are not in the topic yet, and waits until the broker has
   * stored all of them.
   *
   * @throws IOException if the input is damaged, or the broker refuses a record or does not answer;
   *     the message names the record
   */
  public Sent send(InputSource input, Request request) throws IOException, InterruptedException {
    Retry retry = new Retry();
    SentRecords records = null;
    long before = 0;
    long shortened = 0;
    int largeBytes = LARGE_BYTES;
    int partitions = 0;
    while (true) {
      SendAttempt attempt = null;
      try {
        InputTopics.Facts facts = facts();
        if (records == null) {
          records = sentInputs.find(input, facts);
          before = records.count(request.limit());
          // The partitions are kept for later attempts; otherwise records in flight would be sent
          // again to another partition.
          partitions = facts.partitions().size();
        } else {
          // The file was possibly replaced in the meantime, so the identity of the input is not
          // computed again.
          records = sentInputs.look(records.progress(true), facts);
        }
        try (RecordReader reader = input.opener().open();
            Producer<byte[], byte[]> producer = producers.get()) {
          attempt =
              new SendAttempt(
                  application, producer, records, partitions, largeBytes, System::nanoTime);
          long all = attempt.send(reader, request);
          return new Sent(all - before, before, shortened + attempt.shortened());
        }
      } catch (InterruptException stopped) {
        throw (InterruptedException) new InterruptedException().initCause(stopped);
      } catch (IOException | KafkaException failed) {
        shortened += attempt == null ? 0 : attempt.shortened();
        if (attempt != null && attempt.tooLongBytes() <= largeBytes) {
          // The topic's limit is lower than assumed: records of this length are sent one by one.
          largeBytes = attempt.tooLongBytes() - 1;
          continue;
        }
        long there = records == null ? 0 : records.count(Long.MAX_VALUE);
        if (!retry.again(failed, there)) {
          throw described(input, failed, retry);
        }
        LOG.warn(
            "sending {} failed; finds out which records are in topic {}, and sends the others",
            input.name(),
            topic(),
            failed);
      }
    }
  }

  private String topic() {
    return application.input().topic();
  }

  private InputTopics.Facts facts() throws IOException, InterruptedException {
    InputTopics.Facts facts = topics.look(Set.of(topic())).get(topic());
    if (facts == null) {
      throw new IOException("topic " + topic() + " does not exist at " + servers);
    }
    return facts;
  }

  private IOException described(InputSource input, Exception failed, Retry retry) {
    if (Retry.mayPass(failed)) {
      return new IOException(
          ("no more records of %s could be sent to %s in %d attempts: %s; start again when the"
                  + " broker answers, and the rest is sent")
              .formatted(input.name(), servers, retry.failed(), failed.getMessage()),
          failed);
    }
    if (failed instanceof IOException said) {
      return said;
    }
    return new IOException(
        "cannot send %s to topic %s at %s: %s"
            .formatted(input.name(), topic(), servers, failed.getMessage()),
        failed);
  }
}
