package io.idlalayer.middleware.lending.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS of connections between borrowers and lenders, from the key stores that Kafka clients use:
 * {@code ssl.keystore.location} is the certificate of the lender, {@code ssl.truststore.location}
 * the certificates that the borrower trusts.
 */
public final class LendingTls {
  private LendingTls() {}

  /**
   * Returns the TLS of a lender, which needs no trusted certificates.
   *
   * @param kafkaProperties properties of Kafka clients
   * @throws IOException if they name no key store, or one that cannot be read; the message has no
   *     password
   */
  public static SSLContext ofLender(Map<String, String> kafkaProperties) throws IOException {
    KeyStore keys = store(kafkaProperties, "ssl.keystore");
    String password =
        kafkaProperties.getOrDefault(
            "ssl.key.password", kafkaProperties.getOrDefault("ssl.keystore.password", ""));
    try {
      return context(keyManagers(keys, password), null);
    } catch (GeneralSecurityException refused) {
      throw new IOException(
          "ssl.keystore of kafka.properties cannot be used: " + refused.getMessage(), refused);
    }
  }

  /**
   * Returns the TLS of a borrower, which needs no key.
   *
   * @param kafkaProperties properties of Kafka clients
   * @throws IOException if they name no trust store, or one that cannot be read; the message has no
   *     password
   */
  public static SSLContext ofBorrower(Map<String, String> kafkaProperties) throws IOException {
    KeyStore trusted = store(kafkaProperties, "ssl.truststore");
    try {
      return context(null, trustManagers(trusted));
    } catch (GeneralSecurityException refused) {
      throw new IOException(
          "ssl.truststore of kafka.properties cannot be used: " + refused.getMessage(), refused);
    }
  }

  private static SSLContext context(KeyManager @Nullable [] keys, TrustManager @Nullable [] trusted)
      throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, trusted, null);
    return context;
  }

  private static KeyManager[] keyManagers(KeyStore keys, String password)
      throws GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, password.toCharArray());
    return factory.getKeyManagers();
  }

  private static TrustManager[] trustManagers(KeyStore trusted) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    return factory.getTrustManagers();
  }

  private static KeyStore store(Map<String, String> properties, String prefix) throws IOException {
    String location = properties.get(prefix + ".location");
    if (location == null) {
      throw new IOException(prefix + ".location is not in kafka.properties");
    }
    // The default of Kafka clients; Java reads PKCS12 files under this type as well.
    String type = properties.getOrDefault(prefix + ".type", "JKS");
    String password = properties.getOrDefault(prefix + ".password", "");
    try (InputStream in = Files.newInputStream(Path.of(location))) {
      KeyStore store = KeyStore.getInstance(type);
      store.load(in, password.toCharArray());
      return store;
    } catch (GeneralSecurityException | IOException | InvalidPathException refused) {
      throw new IOException(
          "%s.location: %s cannot be read as a %s store with %s.password: %s"
              .formatted(prefix, location, type, prefix, refused.getMessage()),
          refused);
    }
  }
}
