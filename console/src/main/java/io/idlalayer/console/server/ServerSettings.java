package io.idlalayer.console.server;

import io.idlalayer.middleware.models.http.BearerToken;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the console's server.
 *
 * @param bind address and port; port 0 means any free port
 * @param token token that each write needs, and that reads need unless {@link #readsNeedToken}
 *     returns false
 * @param tls certificate and key; null for plain HTTP
 * @param insecure whether plain HTTP is allowed on an address that is not loopback
 * @param allowedHosts names by which browsers are allowed to reach the server, in addition to its
 *     addresses
 */
public record ServerSettings(
    InetSocketAddress bind,
    String token,
    @Nullable Tls tls,
    boolean insecure,
    Set<String> allowedHosts) {
  /**
   * The certificates of the server and its clients.
   *
   * @param keyStore PKCS12 file with the server's certificate and key
   * @param clients PKCS12 file with the certificates that clients must present, or with the
   *     certificates of their signers; null if clients need none
   */
  public record Tls(
      Path keyStore, String keyStorePassword, @Nullable Path clients, String clientsPassword) {
    /** Returns the settings without the passwords. */
    @Override
    public String toString() {
      return "Tls[%s%s]".formatted(keyStore, clients == null ? "" : ", clients of " + clients);
    }
  }

  public ServerSettings {
    allowedHosts = Set.copyOf(allowedHosts);
    if (bind.isUnresolved()) {
      throw new IllegalArgumentException("there is no host " + bind.getHostString());
    }
    if (!BearerToken.isToken(token)) {
      throw new IllegalArgumentException(
          "a token has letters, digits and -._~+/= only, and is not empty");
    }
    if (!bind.getAddress().isLoopbackAddress() && tls == null && !insecure) {
      throw new IllegalArgumentException(
          ("%s can be reached from other machines, and the token could be read on the way: name a"
                  + " key store (--key-store FILE), or say that this is meant (--insecure)")
              .formatted(bind.getHostString()));
    }
  }

  /**
   * Returns whether reads need the token too: whether other machines can send requests without
   * presenting a certificate.
   */
  boolean readsNeedToken() {
    return !bind.getAddress().isLoopbackAddress() && (tls == null || tls.clients() == null);
  }

  /** Returns the settings without the token. */
  @Override
  public String toString() {
    return "ServerSettings[%s%s]".formatted(bind, tls == null ? "" : ", " + tls);
  }
}
