package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.sample.file.RegularFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the Kafka servers for a command without application files. */
public final class KafkaOptions {
  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "Kafka servers.")
  @Nullable String servers;

  @Option(
      names = "--kafka-properties",
      paramLabel = "FILE",
      description =
          "Java properties file for the Kafka client, for TLS and SASL. Its values are not"
              + " printed.")
  @Nullable Path properties;

  /** Returns whether the user gave any of these options. */
  public boolean given() {
    return servers != null || properties != null;
  }

  /**
   * Returns the properties for a Kafka client; null if no servers are named.
   *
   * @throws UsageException if an option needs servers, or the file is not a properties file
   */
  public @Nullable Map<String, Object> clientProperties() throws IOException {
    String brokers = servers;
    Path file = properties;
    if (brokers == null) {
      if (file != null) {
        throw new UsageException("--kafka-properties needs --bootstrap-servers HOST:PORT");
      }
      return null;
    }
    Map<String, Object> client = new HashMap<>();
    if (file != null) {
      if (RegularFile.isOther(file) && !RegularFile.isOpenStream(file)) {
        throw new UsageException(
            "--kafka-properties: %s is a pipe, a socket or a device; name a file".formatted(file));
      }
      Properties read = new Properties();
      try (Reader reader = Files.newBufferedReader(file)) {
        read.load(reader);
      } catch (IllegalArgumentException malformed) {
        throw new UsageException(file + " is not a properties file");
      }
      read.stringPropertyNames().forEach(key -> client.put(key, read.getProperty(key)));
    }
    client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, brokers);
    return client;
  }
}
