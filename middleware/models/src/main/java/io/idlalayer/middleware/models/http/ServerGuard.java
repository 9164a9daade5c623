package io.idlalayer.middleware.models.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the servers of models and of predictions: it refuses requests, sends answers
 * that are not files, and logs each failure once. Safe from any thread.
 */
public final class ServerGuard {
  private static final int MOST_TOLD = 1_000;
  private static final String RETRY_SECONDS = "1";

  private final @Nullable String token;
  private final @Nullable HostGuard hosts;
  private final BoundedHttpServer.Load load;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  public ServerGuard(ModelServerSettings settings, BoundedHttpServer.Load load) {
    token = settings.token();
    hosts = settings.guard();
    this.load = load;
  }

  /** Returns whether clients must send a token. */
  boolean needsToken() {
    return token != null;
  }

  /** Returns a refusal if too many requests wait; empty otherwise. */
  public Optional<HttpRefusal> overload() {
    return load.busy()
        ? Optional.of(new HttpRefusal(503, "too many requests at a time"))
        : Optional.empty();
  }

  /**
   * Returns a refusal if a page of another site made a browser send the request, see {@link
   * HostGuard}; empty otherwise.
   */
  public Optional<HttpRefusal> foreignPage(HttpExchange exchange) {
    return Optional.ofNullable(hosts == null ? null : hosts.refusal(exchange.getRequestHeaders()));
  }

  /**
   * Returns a refusal if the request lacks the token, and sets the header that the refusal needs;
   * empty otherwise.
   */
  public Optional<HttpRefusal> missingToken(HttpExchange exchange) {
    if (token == null
        || BearerToken.matches(exchange.getRequestHeaders().getFirst("Authorization"), token)) {
      return Optional.empty();
    }
    exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer realm=\"models\"");
    return Optional.of(
        new HttpRefusal(401, "a bearer token is needed; the request has none or a wrong one"));
  }

  /**
   * Returns a refusal if the request has a method that is not allowed, and sets the header that the
   * refusal needs; empty otherwise.
   *
   * @param reason the refusal's sentence for the client
   */
  public Optional<HttpRefusal> otherMethod(
      HttpExchange exchange, List<String> allowed, String reason) {
    if (allowed.contains(exchange.getRequestMethod())) {
      return Optional.empty();
    }
    exchange.getResponseHeaders().set("Allow", String.join(", ", allowed));
    return Optional.of(new HttpRefusal(405, reason));
  }

  /**
   * Sends an answer that no cache may keep, without its body if the request is a {@code HEAD}.
   *
   * @param type media type of the content
   */
  public static void send(HttpExchange exchange, int status, String type, byte[] content)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    if (status == 503) {
      headers.set("Retry-After", RETRY_SECONDS);
    }
    if (exchange.getRequestMethod().equals("HEAD")) {
      headers.set("Content-Length", Integer.toString(content.length));
      exchange.sendResponseHeaders(status, -1);
    } else {
      exchange.sendResponseHeaders(status, content.length);
      exchange.getResponseBody().write(content);
    }
  }

  /**
   * Returns whether a failure should be logged: true for the first failure with each reason, up to
   * a limit of different reasons.
   */
  public boolean isNews(String reason) {
    return told.size() < MOST_TOLD && told.add(reason);
  }
}
