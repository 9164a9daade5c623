package io.idlalayer.middleware.models.http;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an HTTP server of models or predictions.
 *
 * @param bind address and port; port 0 takes a free one
 * @param token bearer token that each request must have; null for none
 * @param insecure whether the server may listen on an address other than loopback without a token,
 *     so that all clients that reach the address can use the models
 * @param tls certificate and key; null for plain HTTP
 * @param transfers most files that are sent at a time; further requests for files are answered 503.
 *     The server has four more threads than this number
 * @param connections most connections that are open at a time; the JDK applies this limit to all
 *     servers of the process, see {@link BoundedHttpServer}
 * @param patience longest time for a request to arrive (a twentieth of this time while other
 *     requests wait), and for a client to take {@value ModelServer#PART_BYTES} bytes; above 0
 * @param allowedHosts names by which clients may call a server without a token, besides {@code
 *     localhost}, the name in {@code bind}, and all IP addresses; see {@link HostGuard}. If the
 *     server has a token, clients may use any name
 */
public record ModelServerSettings(
    InetSocketAddress bind,
    @Nullable String token,
    boolean insecure,
    @Nullable SSLContext tls,
    int transfers,
    int connections,
    Duration patience,
    Set<String> allowedHosts) {
  private static final int TRANSFERS = 16;
  private static final int CONNECTIONS = 256;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  public ModelServerSettings {
    if (bind.isUnresolved()) {
      throw new IllegalArgumentException("there is no host " + bind.getHostString());
    }
    if (token != null && !BearerToken.isToken(token)) {
      throw new IllegalArgumentException(
          "a bearer token has letters, digits and -._~+/= only, and is not empty");
    }
    if (!bind.getAddress().isLoopbackAddress() && token == null && !insecure) {
      throw new IllegalArgumentException(
          ("%s can be reached from other machines, whose users could use all models: name a token"
                  + " that clients must have (--token-file FILE), or say that this is meant"
                  + " (--insecure)")
              .formatted(bind.getHostString()));
    }
    if (transfers < 1 || connections < transfers) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "transfers must be above 0, and connections at least as many as transfers; they are %d and %d",
              transfers,
              connections));
    }
    if (patience.isNegative() || patience.isZero()) {
      throw new IllegalArgumentException("patience must be above 0, not " + patience);
    }
    allowedHosts = Set.copyOf(allowedHosts);
    allowedHosts.forEach(HostGuard::checkedName);
  }

  /**
   * Returns settings for at most 16 transfers of files at a time and 256 connections; clients may
   * pause for 10 s.
   */
  public static ModelServerSettings of(
      InetSocketAddress bind, @Nullable String token, boolean insecure, @Nullable SSLContext tls) {
    return new ModelServerSettings(
        bind, token, insecure, tls, TRANSFERS, CONNECTIONS, PATIENCE, Set.of());
  }

  /**
   * Returns a copy of these settings with further host names by which clients may call the server.
   */
  public ModelServerSettings allowing(Set<String> hosts) {
    return new ModelServerSettings(
        bind, token, insecure, tls, transfers, connections, patience, hosts);
  }

  /** Returns a copy of these settings with another port. */
  public ModelServerSettings at(int port) {
    InetSocketAddress other = new InetSocketAddress(bind.getAddress(), port);
    return new ModelServerSettings(
        other, token, insecure, tls, transfers, connections, patience, allowedHosts);
  }

  /**
   * Returns the guard that refuses requests from pages of other sites; null if there is a token:
   * such pages do not have it. A proxy in front of a server with a token may thus use any name.
   */
  @Nullable HostGuard guard() {
    return token == null ? new HostGuard(bind, tls != null, allowedHosts) : null;
  }

  /** Returns the settings without the token. */
  @Override
  public String toString() {
    return "ModelServerSettings[%s%s%s]"
        .formatted(bind, token == null ? "" : ", with a token", tls == null ? "" : ", TLS");
  }
}
