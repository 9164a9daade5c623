package io.idlalayer.middleware.models.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Collections;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Reads the TLS certificate and key of a server from a PKCS12 file. */
public final class ServerKeys {
  private ServerKeys() {}

  /**
   * @param passwordFile its first line is the password of the key store and its key
   * @throws IOException if a file cannot be read, the password is wrong, or there is no key; the
   *     message does not show the password
   */
  public static SSLContext read(Path keyStore, Path passwordFile) throws IOException {
    char[] password = SecretFile.firstLine(passwordFile).toCharArray();
    try (InputStream in = SecretFile.open(keyStore)) {
      try {
        return context(in, password);
      } catch (GeneralSecurityException | IOException refused) {
        throw new IOException(
            "%s cannot be read as a PKCS12 key store with the password in %s: %s"
                .formatted(keyStore, passwordFile, refused.getMessage()),
            refused);
      }
    }
  }

  private static SSLContext context(InputStream keyStore, char[] password)
      throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(keyStore, password);
    boolean hasKey = false;
    for (String alias : Collections.list(keys.aliases())) {
      hasKey |= keys.isKeyEntry(alias);
    }
    if (!hasKey) {
      throw new IOException("it has no private key with its certificate");
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return context;
  }
}
