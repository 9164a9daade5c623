package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.source.EventHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Records on the input topic that ask something of a running application. */
public final class LearnerRequest {
  private LearnerRequest() {}

  /**
   * Asks for an update of what waits.
   *
   * @throws IOException if the broker refuses it or does not answer
   */
  public static void train(ApplicationSettings application, String servers)
      throws IOException, InterruptedException {
    send(application, servers, EventHeaders.TRAIN, "now");
  }

  /**
   * Asks why a sample has its stage; the answer comes on the decision topic.
   *
   * @param sample the event's own id, or {@code #} and the sample's number
   * @throws IOException if the broker refuses it or does not answer
   */
  public static void explain(ApplicationSettings application, String servers, String sample)
      throws IOException, InterruptedException {
    send(application, servers, EventHeaders.EXPLAIN, sample);
  }

  private static void send(
      ApplicationSettings application, String servers, String header, String value)
      throws IOException, InterruptedException {
    RecordHeaders headers = new RecordHeaders();
    headers.add(header, value.getBytes(StandardCharsets.UTF_8));
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            KafkaClients.producer(application.kafka(), servers),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer
          .send(
              new ProducerRecord<>(
                  application.input().topic(), 0, (byte[]) null, new byte[0], headers))
          .get();
    } catch (ExecutionException | KafkaException refused) {
      Throwable cause = refused.getCause() == null ? refused : refused.getCause();
      throw new IOException(
          "cannot ask on topic %s at %s: %s"
              .formatted(application.input().topic(), servers, cause.getMessage()),
          refused);
    }
  }
}
