package io.idlalayer.middleware.sample;

import io.idlalayer.middleware.primitive.Murmur3;
import io.idlalayer.middleware.primitive.SipHash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Hashes what makes a sample one of its own: its features, ids and label, and the id of its event
 * if that has one. So events without ids are one sample if their contents are equal, and events
 * with different ids never are. Zero and minus zero are the same; a missing label is a content of
 * its own.
 */
public final class ContentHasher {
  private static final int SEED = 0x1d1a;
  private static final int NO_LABEL_BITS = 0x7fc00000;

  private ContentHasher() {}

  /** Returns the 128-bit Murmur3 (x64) of a sample, as {@link HashKey#NONE} has it. */
  public static ContentHash of(Sample sample) {
    return of(sample, HashKey.NONE);
  }

  /**
   * Returns the 128-bit hash of a sample: SipHash-2-4 with a secret key, Murmur3 (x64) without one.
   *
   * @param key with a secret key, no sample can be made that has the hash of another one
   */
  public static ContentHash of(Sample sample, HashKey key) {
    ByteBuffer content = content(sample);
    long[] hash = hash(content.array(), content.position(), key);
    if (!sample.id().isEmpty()) {
      byte[] id = sample.id().getBytes(StandardCharsets.UTF_8);
      ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES + id.length);
      bytes.putLong(hash[0]).putLong(hash[1]).put(id);
      hash = hash(bytes.array(), bytes.position(), key);
    }
    return new ContentHash(hash[0], hash[1]);
  }

  private static long[] hash(byte[] bytes, int length, HashKey key) {
    return key.secret()
        ? SipHash.hash128(bytes, length, key.low(), key.high())
        : Murmur3.hash128(bytes, length, SEED);
  }

  private static ByteBuffer content(Sample sample) {
    float[] dense = sample.dense();
    int[] categorical = sample.categorical();
    IdLists ids = sample.ids();
    ByteBuffer bytes =
        ByteBuffer.allocate(
            8 + 4 * (dense.length + categorical.length + ids.features()) + 8 * ids.size());
    bytes.putInt(sample.labeled() ? bits(sample.label()) : NO_LABEL_BITS);
    bytes.putInt(dense.length);
    for (float value : dense) {
      bytes.putInt(bits(value));
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
    return bytes;
  }

  private static int bits(float value) {
    return Float.floatToIntBits(value + 0f);
  }

  /**
   * Returns a 64-bit hash of an event's own id; 0 for the empty text of an event without id.
   *
   * @param key with a secret key, no id can be made that has the hash of another one
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
