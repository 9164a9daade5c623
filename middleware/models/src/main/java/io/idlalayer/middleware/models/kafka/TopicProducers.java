package io.idlalayer.middleware.models.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Opens Kafka producers for heartbeats, which are few small records that arrive in order and may
 * get lost. Checks first that the topic exists, because otherwise a broker might create it, not
 * compacted, at the first write. Any thread.
 */
public final class TopicProducers {
  private static final int ANSWER_MILLIS = 5_000;
  private static final int DELIVERY_MILLIS = 10_000;
  private static final int RECONNECT_MILLIS = 10_000;
  private static final long BUFFER_BYTES = 1 << 20;

  private final Map<String, ?> clientProperties;
  private final String topic;

  /**
   * @param clientProperties Kafka client properties, {@code bootstrap.servers} among them, and what
   *     TLS and SASL need
   * @param topic the topic of the heartbeats
   */
  public TopicProducers(Map<String, ?> clientProperties, String topic) {
    this.clientProperties = Map.copyOf(clientProperties);
    this.topic = topic;
  }

  /**
   * Opens a producer, which the caller closes.
   *
   * @throws IOException if the topic does not exist, or no broker answers
   */
  public Producer<byte[], byte[]> open() throws IOException, InterruptedException {
    Admin admin = Admin.create(common());
    try {
      admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException refused) {
      if (refused.getCause() instanceof UnknownTopicOrPartitionException) {
        throw new IOException("there is no topic " + topic, refused);
      }
      if (refused.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw unanswered(refused);
      }
      throw new IOException(KafkaReasons.text(refused), refused);
    } catch (TimeoutException silent) {
      throw unanswered(silent);
    } finally {
      // Closing must not wait if the thread is interrupted.
      admin.close(Duration.ZERO);
    }
    return new KafkaProducer<>(producer(), new ByteArraySerializer(), new ByteArraySerializer());
  }

  private IOException unanswered(Exception silent) {
    return new IOException(
        "no Kafka broker answers at " + KafkaReasons.servers(clientProperties), silent);
  }

  private Map<String, Object> common() {
    Map<String, Object> properties = new HashMap<>();
    properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    properties.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    properties.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_MILLIS);
    properties.putAll(clientProperties);
    return properties;
  }

  private Map<String, Object> producer() {
    Map<String, Object> properties = common();
    properties.remove(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG);
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    properties.put(ProducerConfig.ACKS_CONFIG, "1");
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, ANSWER_MILLIS);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
    return properties;
  }
}
