package io.idlalayer.middleware.models.store;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.commons.codec.binary.Hex;

/** SHA-256 as lower-case hexadecimal. */
final class Digests {
  private Digests() {}

  static String sha256(byte[] content) {
    try {
      return Hex.encodeHexString(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
