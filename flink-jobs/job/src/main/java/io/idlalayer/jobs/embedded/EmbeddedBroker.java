package io.idlalayer.jobs.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker in this process: one KRaft node on the loopback address. Its topics are in a
 * folder, and no record expires. Only this class uses internal classes of Kafka's server, which can
 * change with each version.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int MAX_PORT_CHOICES = 5;
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);

  private final KafkaRaftServer server;
  private final String servers;

  private EmbeddedBroker(KafkaRaftServer server, String servers) {
    this.server = server;
    this.servers = servers;
  }

  /**
   * Starts a broker, on a new folder or on a folder that another broker has used, even if that
   * broker was killed.
   *
   * @param folder folder of the broker's topics
   * @param port port to listen on; 0 for any free port
   * @throws IOException if the port is in use or the folder cannot be used
   */
  public static EmbeddedBroker start(Path folder, int port) throws IOException {
    return start(folder, port, HOST);
  }

  /**
   * Starts a broker that other hosts can reach, for containers. The broker does not authenticate
   * clients.
   *
   * @param host name under which clients find the broker. With any name except the loopback
   *     address, the broker listens on all interfaces
   */
  public static EmbeddedBroker start(Path folder, int port, String host) throws IOException {
    return start(folder, host, () -> Ports.free(port));
  }

  /**
   * Starts a broker. Another process might take a chosen port before the broker uses it. Other
   * ports are chosen then.
   */
  static EmbeddedBroker start(Path folder, String host, PortChoice choice) throws IOException {
    for (int attempt = 1; ; attempt++) {
      Ports ports = choice.choose();
      try {
        return start(
            folder,
            host + ":" + ports.broker(),
            ports.controller(),
            Listeners.open(host, ports.broker()));
      } catch (IOException failed) {
        if (attempt == MAX_PORT_CHOICES || !portTaken(failed)) {
          throw failed;
        }
        LOG.warn("The embedded broker tries other ports: {}", failed.getMessage());
      }
    }
  }

  private static boolean portTaken(Throwable failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return true;
      }
    }
    return false;
  }

  /** Chooses ports that are free at present. */
  interface PortChoice {
    /**
     * @throws IOException if a port that the caller has named is in use
     */
    Ports choose() throws IOException;
  }

  /**
   * The ports of a broker.
   *
   * @param broker port for clients
   * @param controller port of the controller
   */
  record Ports(int broker, int controller) {
    /**
     * @param port port for clients; 0 for any free port
     */
    static Ports free(int port) throws IOException {
      // Both ports are held at once, so that they differ.
      try (ServerSocket broker = listen(port);
          ServerSocket controller = listen(0)) {
        return new Ports(broker.getLocalPort(), controller.getLocalPort());
      }
    }
  }

  /**
   * The listeners of a broker (addresses and protocols), in the terms of Kafka's configuration.
   *
   * @param bound addresses on which the broker listens, such as {@code PLAINTEXT://127.0.0.1:9092}
   * @param advertised addresses under which clients find the broker
   * @param protocols protocol of each listener, such as {@code PLAINTEXT:PLAINTEXT}
   * @param own the listener that the broker uses itself
   * @param security further properties, for certificates and authentication mechanisms
   * @param users initial SCRAM credentials, in the form of Kafka's storage tool
   */
  record Listeners(
      String bound,
      String advertised,
      String protocols,
      String own,
      Map<String, String> security,
      List<String> users) {
    /**
     * Returns listeners without authentication. With any host except the loopback address, the
     * broker listens on all interfaces.
     */
    static Listeners open(String host, int port) {
      String bind = host.equals(HOST) ? HOST : "0.0.0.0";
      return new Listeners(
          "PLAINTEXT://" + bind + ":" + port,
          "PLAINTEXT://" + host + ":" + port,
          "PLAINTEXT:PLAINTEXT",
          "PLAINTEXT",
          Map.of(),
          List.of());
    }
  }

  /**
   * Starts a broker with given addresses for clients and for the controller.
   *
   * @param servers addresses to which clients connect, "host:port,..."
   */
  static EmbeddedBroker start(Path folder, String servers, int controllerPort, Listeners listeners)
      throws IOException {
    Properties properties = properties(folder, controllerPort, listeners);
    BrokerEnd end = BrokerEnd.announce(folder, "start it again with the same command");
    try {
      Files.createDirectories(folder);
      if (!Files.exists(folder.resolve("meta.properties"))) {
        format(folder, listeners.users());
      }
      KafkaRaftServer server = startServer(new KafkaConfig(properties, false), end);
      end.started();
      return new EmbeddedBroker(server, servers);
    } catch (Exception failed) {
      throw new IOException(
          "the embedded broker does not start at %s with folder %s: %s"
              .formatted(servers, folder, end.whyNotStarted(failed)),
          failed);
    }
  }

  private static KafkaRaftServer startServer(KafkaConfig config, BrokerEnd end) {
    KafkaRaftServer server = new KafkaRaftServer(config, Time.SYSTEM);
    try {
      server.startup();
      if (end.gaveUp()) {
        throw new IllegalStateException("Kafka has given up for a reason that it does not name");
      }
      return server;
    } catch (RuntimeException failed) {
      stopParts(server, failed);
      throw failed;
    }
  }

  /**
   * Stops the running parts of a server that does not start, so that no part holds the server's
   * folder.
   */
  private static void stopParts(KafkaRaftServer server, RuntimeException failed) {
    try {
      server.shutdown();
      server.awaitShutdown();
    } catch (RuntimeException again) {
      failed.addSuppressed(again);
    }
  }

  private static void format(Path folder, List<String> users) throws Exception {
    new Formatter()
        .setNodeId(1)
        .setClusterId(Uuid.randomUuid().toString())
        .addDirectory(folder.toString())
        .setMetadataLogDirectory(folder.toString())
        .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
        .setControllerListenerName("CONTROLLER")
        .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
        .setScramArguments(users)
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        .run();
  }

  private static Properties properties(Path folder, int controllerPort, Listeners listeners) {
    Properties p = new Properties();
    p.put("process.roles", "broker,controller");
    p.put("node.id", "1");
    p.put("controller.quorum.voters", "1@" + HOST + ":" + controllerPort);
    p.put(
        "listeners",
        String.format(
            Locale.ROOT, "%s,CONTROLLER://%s:%d", listeners.bound(), HOST, controllerPort));
    p.put("advertised.listeners", listeners.advertised());
    p.put("listener.security.protocol.map", listeners.protocols() + ",CONTROLLER:PLAINTEXT");
    p.put("controller.listener.names", "CONTROLLER");
    p.put("inter.broker.listener.name", listeners.own());
    p.putAll(listeners.security());
    p.put("log.dirs", folder.toString());
    p.put("log.retention.ms", "-1");
    p.put("log.retention.bytes", "-1");
    p.put("auto.create.topics.enable", "false");
    p.put("offsets.topic.replication.factor", "1");
    p.put("offsets.topic.num.partitions", "1");
    p.put("transaction.state.log.replication.factor", "1");
    p.put("transaction.state.log.min.isr", "1");
    p.put("transaction.state.log.num.partitions", "1");
    p.put("share.coordinator.state.topic.replication.factor", "1");
    p.put("share.coordinator.state.topic.min.isr", "1");
    p.put("share.coordinator.state.topic.num.partitions", "1");
    p.put("group.initial.rebalance.delay.ms", "0");
    p.put("log.cleaner.dedupe.buffer.size", "4194304");
    p.put("message.max.bytes", "67108864");
    // A killed broker stays registered until its session ends, and a restarted broker waits for
    // this.
    p.put("broker.session.timeout.ms", "1500");
    p.put("broker.heartbeat.interval.ms", "300");
    return p;
  }

  /** Opens a server socket on a port; 0 for any free port. */
  private static ServerSocket listen(int port) throws IOException {
    try {
      return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    } catch (IOException taken) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "port %d is in use: stop the process that has it, or choose another port",
              port),
          taken);
    }
  }

  public String bootstrapServers() {
    return servers;
  }

  /** Stops the broker and waits until it has stopped. */
  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
