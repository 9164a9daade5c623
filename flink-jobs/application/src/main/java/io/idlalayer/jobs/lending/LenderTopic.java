package io.idlalayer.jobs.lending;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import java.util.Map;
import java.util.TreeMap;

/**
 * A compacted topic on which lenders announce themselves.
 *
 * @param servers Kafka servers, "host:port,..."
 * @param properties further properties of Kafka clients, such as those of TLS and SASL
 */
public record LenderTopic(String name, String servers, Map<String, String> properties) {
  public LenderTopic {
    properties = Map.copyOf(properties);
  }

  /** Returns the properties of all clients. */
  Map<String, Object> clientProperties() {
    return KafkaClients.common(kafka(), servers);
  }

  /** Returns the properties of a consumer. */
  Map<String, Object> consumerProperties() {
    return KafkaClients.consumer(kafka(), servers);
  }

  /** Returns the properties as the settings of an application have them. */
  public ApplicationSettings.Kafka kafka() {
    return new ApplicationSettings.Kafka("", new TreeMap<>(properties));
  }

  /** Returns a description without properties, whose values can be secrets. */
  @Override
  public String toString() {
    return "topic %s at %s".formatted(name, servers);
  }
}
