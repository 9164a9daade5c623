package io.idlalayer.middleware.lending.lender;

import io.idlalayer.middleware.lending.wire.Secret;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a lender of memory.
 *
 * @param bind address and port; port 0 takes a free one
 * @param secret secret that borrowers must have
 * @param tls certificate and key; null for connections in clear text, which are allowed on loopback
 *     addresses only
 * @param bytes most bytes that are lent at a time
 * @param unitBytes size to which loans are rounded up
 * @param lease time after which a loan ends that is not used or renewed
 * @param connections most connections at a time, each with a thread and up to 2 MiB of heap
 * @param limits time limits of connections
 */
public record LenderSettings(
    InetSocketAddress bind,
    Secret secret,
    @Nullable SSLContext tls,
    long bytes,
    int unitBytes,
    Duration lease,
    int connections,
    Limits limits) {
  /** Default size of a unit: 16 MiB. */
  public static final int DEFAULT_UNIT_BYTES = 16 << 20;

  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(10);
  private static final int DEFAULT_CONNECTIONS = 64;

  /**
   * Time limits of connections.
   *
   * @param handshake longest time until a borrower has proved that it has the secret
   * @param request longest time for a request to arrive and its answer to be taken
   * @param idle longest time between two requests
   */
  public record Limits(Duration handshake, Duration request, Duration idle) {
    /** Default limits: 5 s, 30 s and 2 minutes. */
    public static final Limits DEFAULT =
        new Limits(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(2));
  }

  public LenderSettings {
    if (bind.isUnresolved()) {
      throw new IllegalArgumentException("there is no host " + bind.getHostString());
    }
    if (tls == null && !bind.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "%s can be reached from other machines, so tensors would pass the network in clear text; give a key store, or listen on a loopback address"
              .formatted(bind.getHostString()));
    }
    if (bytes < unitBytes || unitBytes < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d bytes to lend; at least %,d are needed",
              bytes,
              Math.max(1, unitBytes)));
    }
    if (connections < 1 || lease.toMillis() < 1) {
      throw new IllegalArgumentException(
          "%d connections and leases of %s; at least 1 and 1 ms are needed"
              .formatted(connections, lease));
    }
  }

  /**
   * Returns settings with the usual units of 16 MiB, leases of 10 s and at most 64 connections.
   *
   * @throws IllegalArgumentException if the address may not be used without TLS, or the bytes are
   *     fewer than a unit
   */
  public static LenderSettings of(
      InetSocketAddress bind, Secret secret, @Nullable SSLContext tls, long bytes) {
    return new LenderSettings(
        bind,
        secret,
        tls,
        bytes,
        DEFAULT_UNIT_BYTES,
        DEFAULT_LEASE,
        DEFAULT_CONNECTIONS,
        Limits.DEFAULT);
  }
}
