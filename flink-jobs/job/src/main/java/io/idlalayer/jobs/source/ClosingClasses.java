package io.idlalayer.jobs.source;

import java.util.List;

/**
 * Classes that a client of Kafka needs for the first time when it closes its connections. Flink
 * closes the class loader of a job without waiting for the client that searches for partitions. A
 * class that is loaded only then is not found any more, and the sockets stay open in the JobManager
 * for ever.
 */
final class ClosingClasses {
  private static final List<String> NAMES =
      List.of("org.apache.kafka.common.network.Selector$CloseMode");

  private ClosingClasses() {}

  /**
   * Loads them.
   *
   * @throws IllegalStateException if Kafka's client has none of a name: it is of another version
   */
  static void load(ClassLoader loader) {
    for (String name : NAMES) {
      try {
        Class<?> unused = Class.forName(name, true, loader);
      } catch (ClassNotFoundException unknown) {
        throw new IllegalStateException(
            "kafka-clients has no %s; iDlaLayer needs the version of its own lib folder"
                .formatted(name),
            unknown);
      }
    }
  }
}
