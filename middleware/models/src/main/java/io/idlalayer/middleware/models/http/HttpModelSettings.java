package io.idlalayer.middleware.models.http;

import java.net.ProxySelector;
import java.net.URI;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a client that fetches models over HTTP.
 *
 * @param address base address of the models, {@code http} or {@code https}, with its path
 * @param token bearer token of each request; null for none
 * @param connectTimeout time limit for connecting and, with TLS, for the handshake; above 0
 * @param answerTimeout time limit from a request to the first byte of its answer, and also the
 *     limit for each {@value BodyStream#PROGRESS_BYTES} bytes of the answer; above 0
 * @param resumes how often the download of one file is resumed at most; 0 or more
 * @param tls TLS settings; null for the certificate authorities that this JVM trusts
 * @param proxy address of a proxy; null to connect directly, whatever the system settings say
 */
public record HttpModelSettings(
    URI address,
    @Nullable String token,
    Duration connectTimeout,
    Duration answerTimeout,
    int resumes,
    @Nullable SSLContext tls,
    @Nullable ProxySelector proxy) {

  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int RESUMES = 5;

  public HttpModelSettings {
    address = checked(address);
    if (connectTimeout.isNegative() || connectTimeout.isZero()) {
      throw new IllegalArgumentException("connectTimeout must be above 0, not " + connectTimeout);
    }
    if (answerTimeout.isNegative() || answerTimeout.isZero()) {
      throw new IllegalArgumentException("answerTimeout must be above 0, not " + answerTimeout);
    }
    if (resumes < 0) {
      throw new IllegalArgumentException("resumes must be 0 or more, not " + resumes);
    }
    if (token != null && !BearerToken.isToken(token)) {
      throw new IllegalArgumentException(
          "a bearer token has letters, digits and -._~+/= only, and is not empty");
    }
  }

  /**
   * Returns settings with time limits of 5 s for a connection and 10 s for an answer. A broken
   * transfer is resumed five times at most.
   */
  public static HttpModelSettings of(URI address, @Nullable String token) {
    return new HttpModelSettings(address, token, CONNECT, ANSWER, RESUMES, null, null);
  }

  private static URI checked(URI given) {
    String scheme = String.valueOf(given.getScheme());
    if (!(scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))
        || given.getHost() == null
        || given.getRawQuery() != null
        || given.getRawFragment() != null
        || given.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          ("'%s' is not an address of models; one looks like http://HOST:PORT/models/, without user,"
                  + " query or fragment")
              .formatted(masked(given)));
    }
    String path = given.getRawPath();
    if (path == null || path.isEmpty() || path.equals("/")) {
      return given.resolve(Routes.ROOT);
    }
    return path.endsWith("/") ? given : given.resolve(path + "/");
  }

  /**
   * Returns an address with user and password hidden, even where the JDK does not find them in it.
   */
  private static Object masked(URI given) {
    String authority = String.valueOf(given.getRawAuthority());
    int at = authority.lastIndexOf('@');
    return at < 0 ? given : "USER:...@" + authority.substring(at + 1);
  }

  /** Returns the settings without the token. */
  @Override
  public String toString() {
    return "HttpModelSettings[" + address + (token == null ? "]" : ", with a token]");
  }
}
