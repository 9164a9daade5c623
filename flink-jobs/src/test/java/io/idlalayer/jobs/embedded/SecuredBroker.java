package io.idlalayer.jobs.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * A real broker that takes clients by SASL_SSL (SCRAM-SHA-512) only, with a certificate made for it
 * by the JDK's keytool.
 */
public final class SecuredBroker implements AutoCloseable {
  public static final String USER = "idla";
  public static final String STORE_PASSWORD = "store-secret-7";

  private final KafkaRaftServer server;
  private final int port;
  private final Path trustStore;

  private SecuredBroker(KafkaRaftServer server, int port, Path trustStore) {
    this.server = server;
    this.port = port;
    this.trustStore = trustStore;
  }

  /** Starts a broker on a new folder, with one user. */
  public static SecuredBroker start(Path folder, String password) throws Exception {
    Files.createDirectories(folder);
    Path keys = folder.resolve("broker.p12");
    Path trusted = folder.resolve("trusted.p12");
    keys(keys, "broker");
    Path certificate = folder.resolve("broker.crt");
    keytool("-exportcert", "-alias", "broker", "-keystore", keys, "-file", certificate);
    keytool(
        "-importcert", "-noprompt", "-alias", "broker", "-keystore", trusted, "-file", certificate);
    Path log = folder.resolve("log");
    int port = freePort();
    Properties properties = properties(log, port, keys);
    new Formatter()
        .setNodeId(1)
        .setClusterId(Uuid.randomUuid().toString())
        .addDirectory(log.toString())
        .setMetadataLogDirectory(log.toString())
        .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
        .setControllerListenerName("CONTROLLER")
        .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
        .setScramArguments(List.of("SCRAM-SHA-512=[name=" + USER + ",password=" + password + "]"))
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        .run();
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
    server.startup();
    return new SecuredBroker(server, port, trusted);
  }

  /** A trust store that holds somebody else's certificate. */
  public static Path otherTrustStore(Path folder) throws Exception {
    Path store = folder.resolve("other.p12");
    keys(store, "somebody");
    return store;
  }

  private static void keys(Path store, String alias) throws Exception {
    keytool(
        "-genkeypair",
        "-alias",
        alias,
        "-keyalg",
        "EC",
        "-validity",
        "2",
        "-dname",
        "CN=" + alias,
        "-ext",
        "san=ip:127.0.0.1",
        "-keystore",
        store);
  }

  private static void keytool(Object... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.PIPE)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("keytool: " + said);
    }
  }

  private static Properties properties(Path log, int port, Path keys) throws IOException {
    int controller = freePort();
    int internal = freePort();
    Properties p = new Properties();
    p.put("process.roles", "broker,controller");
    p.put("node.id", "1");
    p.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
    p.put(
        "listeners",
        "SECURED://127.0.0.1:%d,INTERNAL://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
            .formatted(port, internal, controller));
    p.put(
        "advertised.listeners",
        "SECURED://127.0.0.1:%d,INTERNAL://127.0.0.1:%d".formatted(port, internal));
    p.put(
        "listener.security.protocol.map",
        "SECURED:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.put("controller.listener.names", "CONTROLLER");
    p.put("inter.broker.listener.name", "INTERNAL");
    p.put("listener.name.secured.sasl.enabled.mechanisms", "SCRAM-SHA-512");
    p.put(
        "listener.name.secured.scram-sha-512.sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    p.put("listener.name.secured.ssl.keystore.location", keys.toString());
    p.put("listener.name.secured.ssl.keystore.password", STORE_PASSWORD);
    p.put("listener.name.secured.ssl.key.password", STORE_PASSWORD);
    p.put("listener.name.secured.ssl.keystore.type", "PKCS12");
    p.put("log.dirs", log.toString());
    p.put("auto.create.topics.enable", "false");
    p.put("offsets.topic.replication.factor", "1");
    p.put("offsets.topic.num.partitions", "1");
    p.put("transaction.state.log.replication.factor", "1");
    p.put("transaction.state.log.min.isr", "1");
    p.put("transaction.state.log.num.partitions", "1");
    p.put("group.initial.rebalance.delay.ms", "0");
    p.put("log.cleaner.dedupe.buffer.size", "4194304");
    return p;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  public String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  /** Store with the broker's certificate; its password is {@link #STORE_PASSWORD}. */
  public Path trustStore() {
    return trustStore;
  }

  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
