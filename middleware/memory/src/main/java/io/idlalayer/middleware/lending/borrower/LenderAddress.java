package io.idlalayer.middleware.lending.borrower;

import java.io.Serializable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * The address of a lender.
 *
 * @param host name or address of its host
 * @param port port, 1 to 65,535
 */
public record LenderAddress(String host, int port) implements Serializable {
  private static final int HIGHEST_PORT = 65_535;

  /** Addresses in numbers, for which Java looks up no name. */
  private static final Pattern LITERAL =
      Pattern.compile(
          "((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.(?!$)|$)){4}|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");

  public LenderAddress {
    if (host.isBlank() || port < 1 || port > HIGHEST_PORT) {
      throw new IllegalArgumentException(
          "%s:%d is no address of a lender; HOST:PORT is expected, with a port of 1 to %d"
              .formatted(host, port, HIGHEST_PORT));
    }
  }

  /**
   * Returns the address that a text names.
   *
   * @param text a host, a colon and a port; an IPv6 address stands in brackets
   * @throws IllegalArgumentException if the text has another form
   */
  public static LenderAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.contains(":")) {
      host = "";
    }
    try {
      return new LenderAddress(host, Integer.parseInt(text.substring(colon + 1)));
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          "%s is no address of a lender; HOST:PORT is expected, with a port of 1 to %d"
              .formatted(text, HIGHEST_PORT),
          wrong);
    }
  }

  /**
   * Returns whether only processes of this machine can reach the address. Looks up no name: of the
   * names, only {@code localhost} is one.
   */
  public boolean isLoopback() {
    if (!LITERAL.matcher(host).matches()) {
      return host.equalsIgnoreCase("localhost");
    }
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException noAddress) {
      return false;
    }
  }

  @Override
  public String toString() {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
