package io.idlalayer.jobs.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** Chooses the address under which other processes reach a lender. */
public final class AnnouncedAddress {
  private AnnouncedAddress() {}

  /**
   * Returns the address to announce: the one on which the lender listens, or a name or number of
   * this machine if the lender listens on all of its addresses. Can ask the name service.
   *
   * @param bound address and port on which the lender listens
   * @return empty if the lender listens on all addresses, and this machine knows only loopback
   *     addresses of itself
   */
  public static Optional<LenderAddress> of(InetSocketAddress bound) {
    return choose(bound, bound.getAddress().isAnyLocalAddress() ? ofThisMachine() : List.of());
  }

  /**
   * @param own names and numbers of this machine, the best one first
   */
  static Optional<LenderAddress> choose(InetSocketAddress bound, List<String> own) {
    int port = bound.getPort();
    if (!bound.getAddress().isAnyLocalAddress()) {
      return Optional.of(new LenderAddress(bound.getHostString(), port));
    }
    return own.stream()
        .map(host -> new LenderAddress(host, port))
        .filter(address -> !address.isLoopback())
        .findFirst();
  }

  private static List<String> ofThisMachine() {
    try {
      InetAddress local = InetAddress.getLocalHost();
      return List.of(local.getCanonicalHostName(), local.getHostAddress());
    } catch (UnknownHostException nameless) {
      return List.of();
    }
  }
}
