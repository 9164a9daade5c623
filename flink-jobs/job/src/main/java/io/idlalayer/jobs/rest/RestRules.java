package io.idlalayer.jobs.rest;

import io.idlalayer.middleware.models.http.BearerToken;
import io.idlalayer.middleware.models.http.HostGuard;
import io.idlalayer.middleware.models.http.HttpRefusal;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaders;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.QueryStringDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests Flink's REST server answers: requests that only read, that use a name of
 * the server, and that come from no web page or from a page of the server itself. Requests with the
 * token of the cluster are also allowed to change something. Immutable.
 */
final class RestRules {
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int TOO_LARGE = 413;
  private static final int MISDIRECTED = 421;

  /** Last parts of the paths whose mere reading makes Flink end a job. */
  private static final Set<String> ENDING = Set.of("yarn-cancel", "yarn-stop");

  private final HostGuard hosts;
  private final @Nullable String token;

  RestRules(HostGuard hosts, @Nullable String token) {
    this.hosts = hosts;
    this.token = token;
  }

  /** Returns why a request is refused; null if Flink is allowed to answer it. */
  @Nullable HttpRefusal refusal(HttpRequest request) {
    HttpHeaders headers = request.headers();
    if (request.decoderResult().isFailure()) {
      return new HttpRefusal(BAD_REQUEST, "this is not a valid HTTP request");
    }
    HttpRefusal foreign =
        hosts.refusal(
            one(headers.getAll(HttpHeaderNames.HOST)),
            one(headers.getAll(HttpHeaderNames.ORIGIN)),
            one(headers.getAll("Sec-Fetch-Site")));
    if (foreign != null) {
      return foreign.status() == MISDIRECTED
          ? new HttpRefusal(
              MISDIRECTED,
              "this server does not have that name; %s in Flink's configuration allows another name"
                  .formatted(RestAccess.ALLOWED_HOSTS.key()))
          : foreign;
    }
    return refusal(request, token != null && isKnown(headers, token));
  }

  private static @Nullable HttpRefusal refusal(HttpRequest request, boolean mayChange) {
    String path = path(request.uri());
    if (path == null) {
      return new HttpRefusal(BAD_REQUEST, "the target of the request is not a path");
    }
    if (Arrays.stream(path.split("/", -1)).anyMatch(ENDING::contains)) {
      return new HttpRefusal(FORBIDDEN, "a job cannot be ended by opening an address");
    }
    if (mayChange) {
      return null;
    }
    if (!request.method().equals(HttpMethod.GET)) {
      return new HttpRefusal(
          METHOD_NOT_ALLOWED,
          "this server can only be read; end a job with Ctrl-C or 'idla cluster stop'");
    }
    return hasBody(request.headers())
        ? new HttpRefusal(TOO_LARGE, "a request that only reads must not have a body")
        : null;
  }

  private static boolean isKnown(HttpHeaders headers, String token) {
    return BearerToken.matches(headers.get(HttpHeaderNames.AUTHORIZATION), token);
  }

  /**
   * Returns the values of a header as one text; null if there are none. The text of two values is
   * not valid, so the request is refused.
   */
  private static @Nullable String one(List<String> values) {
    return values.isEmpty() ? null : String.join(" ", values);
  }

  /**
   * Returns the path of a request's target as Flink's router reads it; null if the target has no
   * valid path.
   */
  private static @Nullable String path(String target) {
    if (!target.startsWith("/")) {
      return null;
    }
    try {
      return new QueryStringDecoder(target).path();
    } catch (IllegalArgumentException badEscape) {
      return null;
    }
  }

  private static boolean hasBody(HttpHeaders headers) {
    String length = headers.get(HttpHeaderNames.CONTENT_LENGTH, "0");
    return headers.contains(HttpHeaderNames.TRANSFER_ENCODING) || !length.strip().equals("0");
  }
}
