package io.idlalayer.jobs.source;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classes that a client of Kafka needs for the first time when it closes its connections. Flink
 * closes the class loader of a job without waiting for the client that searches for partitions. If
 * the client needs a further class after that, the class is not found, and the sockets stay open in
 * the JobManager for ever.
 */
final class ClosingClasses {
  private static final Logger LOG = LoggerFactory.getLogger(ClosingClasses.class);
  private static final List<String> NAMES =
      List.of("org.apache.kafka.common.network.Selector$CloseMode");

  private ClosingClasses() {}

  /**
   * Loads these classes. If one is missing, logs a warning; sockets then stay open, but the job
   * continues.
   */
  static void load(ClassLoader loader) {
    load(NAMES, loader);
  }

  static void load(List<String> names, ClassLoader loader) {
    for (String name : names) {
      try {
        Class<?> unused = Class.forName(name, true, loader);
      } catch (ClassNotFoundException | LinkageError unusable) {
        LOG.warn(
            "kafka-clients has no usable {}; it is of another version than that of iDlaLayer, and connections of a job that ends may stay open in the JobManager",
            name,
            unusable);
      }
    }
  }
}
