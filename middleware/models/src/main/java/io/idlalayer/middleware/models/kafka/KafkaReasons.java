package io.idlalayer.middleware.models.kafka;

import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.KafkaException;

/** Explains in words why Kafka refused a request. */
public final class KafkaReasons {
  private static final int MOST_CAUSES = 10;

  private KafkaReasons() {}

  /** Returns the bootstrap servers named in the client properties, for messages. */
  public static String servers(Map<String, ?> clientProperties) {
    return String.valueOf(clientProperties.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
  }

  /**
   * Describes a failure in words. For a failure of Kafka the first cause is added, because the
   * exception of a client that could not be created does not say why.
   */
  public static String text(Throwable failed) {
    Throwable told = failed;
    while (told instanceof ExecutionException && told.getCause() != null) {
      told = told.getCause();
    }
    String text = message(told);
    if (!(told instanceof KafkaException)) {
      return text;
    }
    Throwable cause = told;
    for (int i = 0; i < MOST_CAUSES && cause.getCause() != null; i++) {
      cause = cause.getCause();
    }
    String root = message(cause);
    return text.contains(root) ? text : text + ": " + root;
  }

  private static String message(Throwable failed) {
    if (failed instanceof java.util.concurrent.TimeoutException) {
      return "no Kafka broker answers";
    }
    String message = failed.getMessage();
    return message == null ? failed.toString() : message;
  }
}
