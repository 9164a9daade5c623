package io.idlalayer.middleware.models.http;

import com.sun.net.httpserver.Headers;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that the page of another site makes a browser send.
 *
 * <p>Such a page may let its own name resolve to this server. The browser then takes the server for
 * a part of the site, and only the header {@code Host} tells that it is not. An address cannot be
 * made to mean something else, nor can {@code localhost}, so each of them is right.
 */
public final class HostGuard {
  private static final int MISDIRECTED = 421;
  private static final int FORBIDDEN = 403;
  private static final Pattern HOST = Pattern.compile("(\\[[^\\[\\]]+]|[^:\\[\\]]+)(:[0-9]{0,5})?");
  private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  private static final Pattern ADDRESS =
      Pattern.compile(
          "%s(\\.%s){3}|\\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(%%[A-Za-z0-9._~-]+)?]"
              .formatted(BYTE, BYTE));
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");

  private final boolean tls;
  private final Set<String> names = new HashSet<>();
  private final Set<String> allowed = new HashSet<>();

  /**
   * Knows the names of a server.
   *
   * @param bind where it listens
   * @param tls whether it speaks TLS itself
   * @param allowedHosts further names, as {@link #checkedName} takes them
   */
  public HostGuard(InetSocketAddress bind, boolean tls, Set<String> allowedHosts) {
    this.tls = tls;
    allowedHosts.forEach(host -> allowed.add(plain(host)));
    names.add("localhost");
    names.add(plain(bind.getHostString()));
    names.addAll(allowed);
  }

  /**
   * Returns a name or an address, IPv6 in brackets, by which clients may call a server.
   *
   * @throws IllegalArgumentException if it is none, such as one with a port
   */
  public static String checkedName(String host) {
    if (!NAME.matcher(host).matches() && !ADDRESS.matcher(host).matches()) {
      throw new IllegalArgumentException(
          "'%s' is no name of a host; give it without scheme, port and path, such as models.example"
              .formatted(host));
    }
    return host;
  }

  /**
   * Looks at what a request says of itself.
   *
   * @param host its header {@code Host}; null for none, as probes in HTTP/1.0 have it and no
   *     browser. Of several, what is no name
   * @param origin its header {@code Origin}; null for none
   * @param site its header {@code Sec-Fetch-Site}; null for none, or if it does not matter
   * @return null if nothing is wrong
   */
  public @Nullable Refusal refusal(
      @Nullable String host, @Nullable String origin, @Nullable String site) {
    if (host != null && !known(host)) {
      return new Refusal(
          MISDIRECTED, "this server is not called that; --allowed-host NAME allows another name");
    }
    boolean foreign =
        (origin != null && (host == null || !own(origin, host)))
            || (site != null && !site.equals("same-origin") && !site.equals("none"));
    return foreign ? new Refusal(FORBIDDEN, "another page may not ask this server") : null;
  }

  /** Looks at a request of the JDK's server. */
  @Nullable Refusal refusal(Headers headers) {
    List<String> hosts = headers.get("Host");
    return refusal(
        hosts == null ? null : String.join(" ", hosts),
        headers.getFirst("Origin"),
        headers.getFirst("Sec-Fetch-Site"));
  }

  private boolean known(String host) {
    String name = name(host);
    return !name.isEmpty() && (names.contains(name) || ADDRESS.matcher(name).matches());
  }

  /** Without the port; "" for what is no host. */
  private static String name(String host) {
    Matcher matcher = HOST.matcher(host);
    return matcher.matches() ? plain(matcher.group(1)) : "";
  }

  /** Names are the same in capitals, and with the dot of the root. */
  private static String plain(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /** Whether a page of ours asks; behind a proxy that speaks TLS its address has another scheme. */
  private boolean own(String origin, String host) {
    return origin.equalsIgnoreCase((tls ? "https://" : "http://") + host)
        || (origin.equalsIgnoreCase("https://" + host) && allowed.contains(name(host)));
  }
}
