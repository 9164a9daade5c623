package io.idlalayer.middleware.models.storage;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.commons.codec.binary.Hex;

/** Computes SHA-256 digests as lower-case hexadecimal text. */
public final class Digests {
  private Digests() {}

  public static String sha256(byte[] content) {
    return Hex.encodeHexString(sha256().digest(content));
  }

  /** Returns a new SHA-256 digest that is to be updated with bytes. */
  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  /** Returns, as text, the digest of the bytes so far, and resets the digest. */
  public static String text(MessageDigest fed) {
    return Hex.encodeHexString(fed.digest());
  }
}
