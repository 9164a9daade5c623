package io.idlalayer.jobs.settings;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Properties of Kafka clients: the application's, then what the product relies on. */
public final class KafkaClients {
  private static final int REQUEST_MILLIS = 15_000;

  private KafkaClients() {}

  /** Properties every kind of client takes. */
  public static Map<String, Object> common(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = new HashMap<>(kafka.properties());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
    return properties;
  }

  /** Properties of an admin client that gives up on a dead broker soon. */
  public static Map<String, Object> admin(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = common(kafka, servers);
    properties.putIfAbsent(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
    properties.putIfAbsent(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    return properties;
  }

  /** Properties of a producer that loses and repeats nothing. Serializers are the caller's. */
  public static Map<String, Object> producer(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = common(kafka, servers);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 5);
    return properties;
  }

  /** Properties of a consumer without commits. Deserializers are the caller's. */
  public static Map<String, Object> consumer(ApplicationSettings.Kafka kafka, String servers) {
    Map<String, Object> properties = common(kafka, servers);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return properties;
  }
}
