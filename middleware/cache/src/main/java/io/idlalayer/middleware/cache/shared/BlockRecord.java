package io.idlalayer.middleware.cache.shared;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a block in a shared file, little endian:
 *
 * <pre>
 *  0             16              20       24
 *  +-------------+---------------+--------+---------+
 *  | digest (16) | payload bytes | CRC32C | payload |
 *  +-------------+---------------+--------+---------+
 * </pre>
 *
 * The checksum covers everything else. A reader uses no payload whose checksum and digest do not
 * match.
 */
final class BlockRecord {
  static final int HEADER_BYTES = 24;

  /** Largest payload in bytes; regions are smaller. */
  static final int PAYLOAD_BYTES_MAX = 1 << 20;

  private static final int LENGTH_AT = 16;
  private static final int CHECKSUM_AT = 20;

  private BlockRecord() {}

  static byte[] encode(PayloadDigest digest, byte[] payload) {
    byte[] record = new byte[HEADER_BYTES + payload.length];
    ByteBuffer out = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(digest.high()).putLong(digest.low()).putInt(payload.length);
    out.putInt(0).put(payload);
    out.putInt(CHECKSUM_AT, checksum(record, record.length));
    return record;
  }

  private static int checksum(byte[] record, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(record, 0, CHECKSUM_AT);
    checksum.update(record, HEADER_BYTES, length - HEADER_BYTES);
    return (int) checksum.getValue();
  }

  /** Returns the bytes of a digest, with which a record begins. */
  static byte[] digestBytes(PayloadDigest digest) {
    return ByteBuffer.allocate(PayloadDigest.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(digest.high())
        .putLong(digest.low())
        .array();
  }

  /** Returns the digest in a record, without checking it. */
  static PayloadDigest digest(byte[] record) {
    ByteBuffer in = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    return new PayloadDigest(in.getLong(), in.getLong());
  }

  /**
   * Returns whether the first bytes of an array are an undamaged record of a payload.
   *
   * @param length number of bytes of the record
   */
  static boolean holds(PayloadDigest digest, byte[] record, int length) {
    if (length < HEADER_BYTES || length > record.length) {
      return false;
    }
    ByteBuffer in = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    return in.getLong(0) == digest.high()
        && in.getLong(Long.BYTES) == digest.low()
        && in.getInt(LENGTH_AT) == length - HEADER_BYTES
        && in.getInt(CHECKSUM_AT) == checksum(record, length);
  }

  /**
   * Returns the payload of a record, or null if the bytes are not an undamaged record with this
   * digest.
   */
  static byte @Nullable [] payload(PayloadDigest digest, byte[] record) {
    return holds(digest, record, record.length)
        ? Arrays.copyOfRange(record, HEADER_BYTES, record.length)
        : null;
  }
}
