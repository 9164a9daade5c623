package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.EventHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends a single event as a new event to an application's input topic, or to the first one if there
 * are several.
 */
public final class Resend {
  private final ApplicationSettings application;
  private final String servers;

  public Resend(ApplicationSettings application, String servers) {
    this.application = application;
    this.servers = servers;
  }

  /**
   * Sends the event, and waits until the broker has stored it.
   *
   * @param origin readable text that says where the event comes from
   * @throws IllegalArgumentException if the event is empty or longer than the application allows
   * @throws IOException if the broker refuses it or does not answer
   */
  public void send(byte[] event, String origin) throws IOException, InterruptedException {
    int most = application.input().maxEventBytes();
    if (event.length == 0 || event.length > most) {
      throw new IllegalArgumentException(
          "an event of %s has 1 to %,d bytes (input.max-event-bytes), not %,d"
              .formatted(application.name(), most, event.length));
    }
    String topic = application.input().topic();
    RecordHeaders headers = new RecordHeaders();
    headers.add(EventHeaders.SOURCE, origin.getBytes(StandardCharsets.UTF_8));
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            KafkaClients.producer(application.kafka(), servers, event.length),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic, null, (byte[]) null, event, headers)).get();
    } catch (InterruptException stopped) {
      throw (InterruptedException) new InterruptedException().initCause(stopped);
    } catch (ExecutionException | KafkaException refused) {
      Throwable cause = refused.getCause() == null ? refused : refused.getCause();
      throw new IOException(
          "topic %s at %s did not take the event: %s".formatted(topic, servers, cause.getMessage()),
          refused);
    }
  }
}
