package io.idlalayer.middleware.cache.shared;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The key of a block that processes share: the first 128 bits of the SHA-256 of its bytes. It is
 * practically impossible to find two different payloads with the same digest, even on purpose.
 */
public record PayloadDigest(long high, long low) {
  /** Number of bytes of a digest. */
  public static final int BYTES = 2 * Long.BYTES;

  /** Returns the digest of a payload. */
  public static PayloadDigest of(byte[] payload) {
    try {
      ByteBuffer hash = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(payload));
      long high = hash.getLong();
      // Two zeros mark an entry without a block.
      return new PayloadDigest(high == 0 ? 1 : high, hash.getLong());
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  /** Returns the first part of the block's key in the cache of a process. */
  int space() {
    return (int) high;
  }

  /** Returns the second part of the block's key in the cache of a process. */
  long id() {
    return low;
  }
}
