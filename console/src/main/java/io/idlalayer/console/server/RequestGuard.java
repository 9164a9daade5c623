package io.idlalayer.console.server;

import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.HostGuard;
import io.idlalayer.middleware.models.http.HttpRefusal;
import io.javalin.http.Context;
import java.util.Locale;

/**
 * Refuses requests before they cause any work: requests with a host name that is not the console's
 * (the name of another site can resolve to this address), requests that pages of other sites send,
 * and requests that need the token and do not have it.
 */
final class RequestGuard {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final ServerSettings settings;
  private final HostGuard hosts;

  RequestGuard(ServerSettings settings) {
    this.settings = settings;
    hosts = new HostGuard(settings.bind(), settings.tls() != null, settings.allowedHosts());
  }

  /**
   * Checks a request, and sets the security headers of its answer.
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
    boolean api = request.path().startsWith("/api/");
    HttpRefusal refusal =
        hosts.refusal(
            request.header("Host"),
            request.header("Origin"),
            api ? request.header("Sec-Fetch-Site") : null);
    if (refusal != null) {
      throw new RefusedException(refusal.status(), refusal.reason());
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
}
