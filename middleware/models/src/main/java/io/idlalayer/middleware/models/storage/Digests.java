package io.idlalayer.middleware.models.storage;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.commons.codec.binary.Hex;

/** SHA-256 as lower-case hexadecimal. */
public final class Digests {
  private Digests() {}

  public static String sha256(byte[] content) {
    return Hex.encodeHexString(sha256().digest(content));
  }

  /** One to be fed piece by piece. */
  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  /** Returns the digest of the bytes so far as text, and resets it. */
  public static String text(MessageDigest fed) {
    return Hex.encodeHexString(fed.digest());
  }
}
