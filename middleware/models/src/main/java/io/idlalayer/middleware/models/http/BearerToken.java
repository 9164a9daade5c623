package io.idlalayer.middleware.models.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * A bearer token (RFC 6750): a secret that entitles a client to read models or to ask for
 * predictions.
 */
public final class BearerToken {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");
  private static final String SCHEME = "Bearer ";
  private static final int MOST_BYTES = 4096;

  private BearerToken() {}

  /** Returns whether a text has the form of a bearer token. */
  public static boolean isToken(String text) {
    return text.length() <= MOST_BYTES && TOKEN.matcher(text).matches();
  }

  /**
   * Reads a token from a file: the file's only line.
   *
   * @throws IOException if the file cannot be read, or holds no token; the message does not show
   *     the content of the file
   */
  public static String read(Path file) throws IOException {
    byte[] bytes;
    try (var in = SecretFile.open(file)) {
      bytes = in.readNBytes(MOST_BYTES + 2);
    }
    String token = new String(bytes, StandardCharsets.ISO_8859_1).strip();
    if (!isToken(token)) {
      throw new IOException(
          ("%s holds no token: one line of letters, digits and -._~+/= is expected, such as"
                  + " `openssl rand -hex 32` prints")
              .formatted(file));
    }
    return token;
  }

  /** Returns the value of the header {@code Authorization} for a token. */
  public static String header(String token) {
    return SCHEME + token;
  }

  /**
   * Returns whether the header {@code Authorization} of a request has the token. The time of the
   * comparison does not depend on how many characters of a wrong token are right.
   *
   * @param header null for none
   */
  public static boolean matches(@Nullable String header, String token) {
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    return MessageDigest.isEqual(
        DigestUtils.sha256(header.substring(SCHEME.length()).strip()), DigestUtils.sha256(token));
  }
}
