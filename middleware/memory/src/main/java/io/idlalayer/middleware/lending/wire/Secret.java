package io.idlalayer.middleware.lending.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that borrowers and lenders share. It never travels: each side proves with HMAC-SHA-256
 * over fresh random numbers of both that it has the secret.
 */
public final class Secret {
  /** Least number of characters; a shorter secret could be guessed from a recorded proof. */
  public static final int LEAST_CHARACTERS = 16;

  static final int PROOF_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] key;

  /**
   * @throws IllegalArgumentException if the text is too short; the message does not have it
   */
  public Secret(String text) {
    if (text.length() < LEAST_CHARACTERS) {
      throw new IllegalArgumentException(
          "a secret of %d characters; at least %d are needed, such as `openssl rand -hex 32` prints"
              .formatted(text.length(), LEAST_CHARACTERS));
    }
    key = text.getBytes(StandardCharsets.UTF_8);
  }

  byte[] proof(String side, ByteBuffer transcript) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      mac.update(side.getBytes(StandardCharsets.US_ASCII));
      mac.update((byte) 0);
      mac.update(transcript.duplicate());
      return mac.doFinal();
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("this Java has no " + ALGORITHM, missing);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && Arrays.equals(key, secret.key);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key);
  }

  @Override
  public String toString() {
    return "a secret";
  }
}
