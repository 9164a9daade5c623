package io.idlalayer.sql;

import io.idlalayer.middleware.models.kafka.HeartbeatReporter;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The topic and the Kafka properties for heartbeats, with which the subscriber of a query reports
 * the version that it serves.
 *
 * @param topic topic of heartbeats
 * @param properties properties of Kafka's client; serializable
 */
record HeartbeatTarget(String topic, Map<String, String> properties) implements Serializable {
  private static final String CLIENT = "org.apache.kafka.clients.producer.KafkaProducer";

  /**
   * Starts to send heartbeats that report which version a subscriber serves. They have a generated
   * process name.
   *
   * @throws IOException if Kafka's client is not on the class path
   */
  HeartbeatReporter report(ModelSubscriber<?> subscriber) throws IOException {
    checkClient(HeartbeatReporter.class.getClassLoader());
    return HeartbeatReporter.start(
        properties,
        topic,
        SubscriberIdentity.ofProcess(null, new SplittableRandom()),
        List.of(HeartbeatReporter.Reported.of(subscriber)));
  }

  /**
   * Checks that Kafka's client library can be loaded, because the artifact does not include the
   * library: most queries do not need it.
   */
  static void checkClient(ClassLoader loader) throws IOException {
    try {
      Class.forName(CLIENT, false, loader);
    } catch (ClassNotFoundException missing) {
      throw new IOException(
          "'heartbeats.properties.*' need kafka-clients-*.jar in Flink's lib folder, on each"
              + " TaskManager; the jar of Flink's Kafka connector does not suffice, because it has the classes under other names",
          missing);
    }
  }

  /** Returns the topic and the names of the properties, without values, which can be passwords. */
  @Override
  public String toString() {
    return topic + " " + properties.keySet();
  }
}
