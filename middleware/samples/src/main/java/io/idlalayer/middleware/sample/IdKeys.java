package io.idlalayer.middleware.sample;

import io.idlalayer.middleware.primitive.Murmur3;
import io.idlalayer.middleware.primitive.SipHash;
import java.nio.charset.StandardCharsets;

/**
 * Computes the 64-bit keys of ids, from the text in UTF-8: with a secret key by SipHash, otherwise
 * the first half of the 128-bit Murmur3 hash, for which anyone can construct two ids with the same
 * hash. Two ids with the same key share a row. For a given pair of ids the probability of this is
 * 2^-64. That any pair among 100 million ids shares a row has a probability of about 3e-4.
 */
public final class IdKeys {
  private static final int SEED = 0;

  private IdKeys() {}

  /**
   * Returns the key of an id, which is a hash of its text.
   *
   * @param text a number as it is written, or any other text
   * @return {@link IdLists#MISSING} if the text is empty; otherwise neither {@link IdLists#MISSING}
   *     nor {@link IdLists#UNKNOWN}
   */
  public static long of(String text) {
    return of(text, HashKey.NONE);
  }

  /**
   * Returns the key of an id, which is a hash of its text with a secret key.
   *
   * @param text a number as it is written, or any other text
   * @return {@link IdLists#MISSING} if the text is empty; otherwise neither {@link IdLists#MISSING}
   *     nor {@link IdLists#UNKNOWN}
   */
  public static long of(String text, HashKey key) {
    if (text.isEmpty()) {
      return IdLists.MISSING;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return unreserved(
        key.secret()
            ? SipHash.hash(bytes, bytes.length, key.low(), key.high())
            : Murmur3.hash128(bytes, bytes.length, SEED)[0]);
  }

  /** Replaces a hash by its complement if it is one of the two keys with a special meaning. */
  static long unreserved(long hash) {
    return hash == IdLists.MISSING || hash == IdLists.UNKNOWN ? ~hash : hash;
  }
}
