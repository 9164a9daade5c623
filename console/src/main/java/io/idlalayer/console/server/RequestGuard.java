package io.idlalayer.console.server;

import io.idlalayer.middleware.models.http.BearerToken;
import io.javalin.http.Context;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests before anything is done for them: those for a host that is none of ours (a page
 * elsewhere may have its name resolve to this address), those that another page sends, and those
 * without the token where it is needed.
 */
final class RequestGuard {
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:\\[\\]/@]+)(:[0-9]{1,5})?");
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final ServerSettings settings;
  private final Set<String> hosts = new HashSet<>();

  RequestGuard(ServerSettings settings) throws SocketException {
    this.settings = settings;
    hosts.add("localhost");
    settings.allowedHosts().forEach(host -> hosts.add(host.toLowerCase(Locale.ROOT)));
    InetAddress bound = settings.bind().getAddress();
    hosts.add(settings.bind().getHostString().toLowerCase(Locale.ROOT));
    add(bound);
    if (bound.isAnyLocalAddress()) {
      for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        Collections.list(each.getInetAddresses()).forEach(this::add);
      }
    } else if (bound.isLoopbackAddress()) {
      hosts.add("127.0.0.1");
      hosts.add(plain("[::1]"));
    }
  }

  private void add(InetAddress address) {
    String text = address.getHostAddress();
    int zone = text.indexOf('%');
    String plain = zone < 0 ? text : text.substring(0, zone);
    hosts.add(plain.contains(":") ? "[" + plain + "]" : plain);
  }

  /**
   * Looks at a request, and says in the answer what a browser may do with it.
   *
   * @throws RefusedException if the request is refused
   */
  void check(Context request) throws RefusedException {
    request.header("Content-Security-Policy", POLICY);
    request.header("X-Content-Type-Options", "nosniff");
    request.header("Referrer-Policy", "no-referrer");
    request.header("Cross-Origin-Resource-Policy", "same-origin");
    request.header("Cross-Origin-Opener-Policy", "same-origin");
    request.header("X-Frame-Options", "DENY");
    request.header("Cache-Control", "no-store");
    String host = request.header("Host");
    if (!known(host)) {
      throw new RefusedException(
          421, "this server is not called that; --allowed-host NAME allows another name");
    }
    String origin = request.header("Origin");
    if (origin != null && !own(origin, String.valueOf(host))) {
      throw new RefusedException(403, "another page may not ask this server");
    }
    String site = request.header("Sec-Fetch-Site");
    boolean api = request.path().startsWith("/api/");
    if (api && site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw new RefusedException(403, "another page may not ask this server");
    }
    boolean read = request.method().name().equals("GET") || request.method().name().equals("HEAD");
    if (!read) {
      checkWrite(request);
    } else if (api && settings.readsNeedToken() && !hasToken(request)) {
      throw new RefusedException(401, "the token is needed; it was printed when the console began");
    }
  }

  private void checkWrite(Context request) throws RefusedException {
    if (!hasToken(request)) {
      throw new RefusedException(
          403, "the token is needed to change something; it was printed when the console began");
    }
    String type = request.contentType();
    if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/json")) {
      throw new RefusedException(415, "a request has a JSON object as its body");
    }
  }

  private boolean hasToken(Context request) {
    return BearerToken.matches(request.header("Authorization"), settings.token());
  }

  /** Whether a page of ours asks; behind a proxy that speaks TLS its address has another scheme. */
  private boolean own(String origin, String host) {
    return origin.equalsIgnoreCase(scheme() + "://" + host)
        || (origin.equalsIgnoreCase("https://" + host)
            && settings.allowedHosts().stream().anyMatch(host::equalsIgnoreCase));
  }

  private String scheme() {
    return settings.tls() == null ? "http" : "https";
  }

  private boolean known(@Nullable String host) {
    if (host == null) {
      return false;
    }
    Matcher matcher = HOST.matcher(host);
    return matcher.matches() && hosts.contains(plain(matcher.group(1)));
  }

  /** A name, or an address in the one form that {@link #add} gives it. */
  private static String plain(String host) {
    if (host.startsWith("[")) {
      try {
        // What is in brackets can be an address only; no name is looked up.
        InetAddress address = InetAddress.getAllByName(host)[0];
        return "[" + address.getHostAddress() + "]";
      } catch (UnknownHostException noAddress) {
        return "";
      }
    }
    return host.toLowerCase(Locale.ROOT);
  }
}
