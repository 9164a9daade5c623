package io.idlalayer.middleware.sample;

import io.idlalayer.middleware.primitive.Murmur3;
import io.idlalayer.middleware.primitive.SipHash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Hashes the content of a sample, that is, its features, ids, label and weight, but not its own id
 * or event time. Numbers are hashed in 64 bits. Zero and minus zero give the same hash. A sample
 * without a label has another hash than the same sample with any label.
 */
public final class ContentHasher {
  private static final int SEED = 0x1d1a;
  private static final long NO_LABEL_BITS = 0x7ff8000000000000L;

  private ContentHasher() {}

  /**
   * Returns the 128-bit Murmur3 (x64) hash of a sample's content, which is the hash with {@link
   * HashKey#NONE}.
   */
  public static ContentHash of(Sample sample) {
    return of(sample, HashKey.NONE);
  }

  /**
   * Returns the 128-bit hash of a sample's content: SipHash-2-4 with a secret key, Murmur3 (x64)
   * without one.
   *
   * @param key key of the hash; if it is secret, a sample with the hash of another sample cannot be
   *     constructed without the key
   */
  public static ContentHash of(Sample sample, HashKey key) {
    double[] dense = sample.dense();
    int[] categorical = sample.categorical();
    IdLists ids = sample.ids();
    ByteBuffer bytes =
        ByteBuffer.allocate(
            20 + 8 * (dense.length + ids.size()) + 4 * (categorical.length + ids.features()));
    bytes.putLong(sample.labeled() ? bits(sample.label()) : NO_LABEL_BITS);
    bytes.putInt(dense.length);
    for (double value : dense) {
      bytes.putLong(bits(value));
    }
    for (int bucket : categorical) {
      bytes.putInt(bucket);
    }
    for (int feature = 0; feature < ids.features(); feature++) {
      bytes.putInt(ids.to(feature) - ids.from(feature));
    }
    for (int i = 0; i < ids.size(); i++) {
      bytes.putLong(ids.key(i));
    }
    if (sample.weight() != 1) {
      bytes.putLong(bits(sample.weight()));
    }
    long[] hash =
        key.secret()
            ? SipHash.hash128(bytes.array(), bytes.position(), key.low(), key.high())
            : Murmur3.hash128(bytes.array(), bytes.position(), SEED);
    return new ContentHash(hash[0], hash[1]);
  }

  private static long bits(double value) {
    return Double.doubleToLongBits(value + 0.0);
  }

  /**
   * Returns a 64-bit hash of an event's own id; 0 for the empty text of an event without id.
   *
   * @param key key of the hash; if it is secret, an id with the hash of another id cannot be
   *     constructed without the key
   */
  public static long idHash(String id, HashKey key) {
    if (id.isEmpty()) {
      return 0;
    }
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    long hash =
        key.secret()
            ? SipHash.hash(bytes, bytes.length, key.low(), key.high())
            : Murmur3.hash128(bytes, bytes.length, SEED)[0];
    return hash == 0 ? 1 : hash;
  }
}
