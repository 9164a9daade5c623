package io.idlalayer.jobs.embedded;

import io.idlalayer.testkit.KeyStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real broker that takes clients by SASL_SSL (SCRAM-SHA-512) only, with a certificate made for it
 * by the JDK's keytool.
 */
public final class SecuredBroker implements AutoCloseable {
  public static final String USER = "idla";
  public static final String STORE_PASSWORD = KeyStores.PASSWORD;

  private final EmbeddedBroker broker;
  private final Path trustStore;

  private SecuredBroker(EmbeddedBroker broker, Path trustStore) {
    this.broker = broker;
    this.trustStore = trustStore;
  }

  /** Starts a broker on a new folder, with one user. */
  public static SecuredBroker start(Path folder, String password) throws Exception {
    Files.createDirectories(folder);
    Path keys = folder.resolve("broker.p12");
    Path trusted = folder.resolve("trusted.p12");
    KeyStores.keys(keys, "broker");
    KeyStores.trusting(trusted, keys, "broker");
    int[] ports = freePorts(3);
    String client = "SECURED://127.0.0.1:%d,INTERNAL://127.0.0.1:%d".formatted(ports[0], ports[1]);
    EmbeddedBroker.Listeners listeners =
        new EmbeddedBroker.Listeners(
            client,
            client,
            "SECURED:SASL_SSL,INTERNAL:PLAINTEXT",
            "INTERNAL",
            security(keys),
            List.of("SCRAM-SHA-512=[name=" + USER + ",password=" + password + "]"));
    return new SecuredBroker(
        EmbeddedBroker.start(folder.resolve("log"), "127.0.0.1:" + ports[0], ports[2], listeners),
        trusted);
  }

  /** Creates a trust store with another party's certificate. */
  public static Path otherTrustStore(Path folder) throws Exception {
    return KeyStores.keys(folder.resolve("other.p12"), "somebody");
  }

  private static Map<String, String> security(Path keys) {
    String listener = "listener.name.secured.";
    return Map.of(
        listener + "sasl.enabled.mechanisms",
        "SCRAM-SHA-512",
        listener + "scram-sha-512.sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
        listener + "ssl.keystore.location",
        keys.toString(),
        listener + "ssl.keystore.password",
        STORE_PASSWORD,
        listener + "ssl.key.password",
        STORE_PASSWORD,
        listener + "ssl.keystore.type",
        "PKCS12");
  }

  /** Ports that are free and differ. */
  private static int[] freePorts(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return held.stream().mapToInt(ServerSocket::getLocalPort).toArray();
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }

  public String bootstrapServers() {
    return broker.bootstrapServers();
  }

  /** Store with the broker's certificate; its password is {@link #STORE_PASSWORD}. */
  public Path trustStore() {
    return trustStore;
  }

  @Override
  public void close() {
    broker.close();
  }
}
