package io.idlalayer.jobs.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
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
  public static final String STORE_PASSWORD = "store-secret-7";

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
    keys(keys, "broker");
    Path certificate = folder.resolve("broker.crt");
    keytool("-exportcert", "-alias", "broker", "-keystore", keys, "-file", certificate);
    keytool(
        "-importcert", "-noprompt", "-alias", "broker", "-keystore", trusted, "-file", certificate);
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
