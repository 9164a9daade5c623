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
 * Refuses requests that a browser sends on behalf of a page of another site.
 *
 * <p>The owner of the other site can let the site's name resolve to the address of this server (DNS
 * rebinding). The browser then takes this server for a part of the site, and only the header {@code
 * Host}, which has the site's name, reveals the trick. IP addresses and {@code localhost} cannot be
 * redirected in this way, so the guard accepts all of them.
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
   * @param bind address on which the server listens
   * @param tls whether the server itself speaks TLS
   * @param allowedHosts further names of the server, as {@link #checkedName} takes them
   */
  public HostGuard(InetSocketAddress bind, boolean tls, Set<String> allowedHosts) {
    this.tls = tls;
    allowedHosts.forEach(host -> allowed.add(plain(host)));
    names.add("localhost");
    names.add(plain(bind.getHostString()));
    names.addAll(allowed);
  }

  /**
   * Returns a host name or an address (IPv6 in brackets) by which clients may call a server, after
   * checking its form.
   *
   * @throws IllegalArgumentException if the text is no host name or address, or has a port
   */
  public static String checkedName(String host) {
    if (!NAME.matcher(host).matches() && !ADDRESS.matcher(host).matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a name of a host; give it without scheme, port and path, such as models.example"
              .formatted(host));
    }
    return host;
  }

  /**
   * Checks whether a request comes from the page of another site, by its headers; returns the
   * refusal, or null.
   *
   * @param host its header {@code Host}; null for none, as in probes with HTTP/1.0, which no
   *     browser sends. Several values, joined by spaces, lead to a refusal
   * @param origin its header {@code Origin}; null for none
   * @param site its header {@code Sec-Fetch-Site}; null for none, or if it does not matter
   * @return null if the request is accepted
   */
  public @Nullable HttpRefusal refusal(
      @Nullable String host, @Nullable String origin, @Nullable String site) {
    if (host != null && !known(host)) {
      return new HttpRefusal(
          MISDIRECTED,
          "this server does not have that name; --allowed-host NAME allows another name");
    }
    boolean foreign =
        (origin != null && (host == null || !own(origin, host)))
            || (site != null && !site.equals("same-origin") && !site.equals("none"));
    return foreign
        ? new HttpRefusal(FORBIDDEN, "pages of other sites may not send requests to this server")
        : null;
  }

  /**
   * Checks whether a request to the JDK's server comes from the page of another site; returns the
   * refusal, or null.
   */
  @Nullable HttpRefusal refusal(Headers headers) {
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

  /** Returns the host of a header's value, without its port; "" if the text is not a host. */
  private static String name(String host) {
    Matcher matcher = HOST.matcher(host);
    return matcher.matches() ? plain(matcher.group(1)) : "";
  }

  /**
   * Returns a host name in the form in which names are compared: in lower case, without a dot at
   * its end.
   */
  private static String plain(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /**
   * Returns whether an origin is a page of this server. Behind a proxy that speaks TLS, the page's
   * origin has the scheme of the proxy.
   */
  private boolean own(String origin, String host) {
    return origin.equalsIgnoreCase((tls ? "https://" : "http://") + host)
        || (origin.equalsIgnoreCase("https://" + host) && allowed.contains(name(host)));
  }
}
