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

/** A record that asks a running application to train what waits. */
public final class TrainRequest {
  private TrainRequest() {}

  /**
   * Sends a request and waits until the broker has it.
   *
   * @throws IOException if the broker refuses it or does not answer
   */
  public static void send(ApplicationSettings application, String servers)
      throws IOException, InterruptedException {
    RecordHeaders headers = new RecordHeaders();
    headers.add(EventHeaders.TRAIN, "now".getBytes(StandardCharsets.UTF_8));
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
          "cannot ask for an update on topic %s at %s: %s"
              .formatted(application.input().topic(), servers, cause.getMessage()),
          refused);
    }
  }
}
