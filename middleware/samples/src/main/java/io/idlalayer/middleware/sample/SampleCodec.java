package io.idlalayer.middleware.sample;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * Encodes samples to and decodes them from the binary form that they have on topics and in stores.
 * Version 2, little endian:
 *
 * <pre>
 *  0       1         2       3       4       8        12          16             18
 *  +-------+---------+-------+-------+-------+--------+-----------+--------------+
 *  |magic D| magic L |version| flags | label | nDense | nCategory | id bytes (u2)|
 *  +-------+---------+-------+-------+-------+--------+-----------+--------------+
 *  18
 *  +------------+---------------------------+--------------------+----------------+----------+
 *  | id (UTF-8) | dense: 4 or 1 byte each   | categories, 4 each | ids, if any    | CRC32C   |
 *  +------------+---------------------------+--------------------+----------------+----------+
 *
 *  absent values, if any, stand before the dense values:
 *       +-------------+--------+-------------+--------+
 *       | nBytes (u4) | places | nBytes (u4) | needed |
 *       +-------------+--------+-------------+--------+
 *
 *  ids: +---------------+---------------------------------------+--------------+
 *       | nFeature (u4) | keys of each feature, 1 to 5 bytes    | keys, 8 each |
 *       +---------------+---------------------------------------+--------------+
 * </pre>
 *
 * Flag 1: every dense value is k/255 and stored as the byte k, so that images stay small; decoding
 * gives the same float bits. Flag 2: there are ids. Flag 4: there are {@link AbsentValues}, a bit
 * for each place, the lowest bit of a byte first. How many keys a feature has is written seven bits
 * to a byte, the lowest first; all bytes but the last are negative. The checksum covers everything
 * before it. Confined to one thread.
 */
public final class SampleCodec {
  private static final byte MAGIC_0 = 'D';
  private static final byte MAGIC_1 = 'L';
  private static final byte VERSION = 2;
  private static final int BYTE_DENSE = 1;
  private static final int HAS_IDS = 2;
  private static final int HAS_ABSENT = 4;
  private static final int HEADER_BYTES = 18;
  private static final int CHECKSUM_BYTES = 4;
  private static final int ID_BYTES_MAX = 0xFFFF;
  private static final int COUNT_BITS = 7;
  private static final int COUNT_BITS_MAX = 28;
  private static final byte[] NOTHING = {};
  private static final float[] LEVELS = levels();

  private final CRC32C checksum = new CRC32C();

  private static float[] levels() {
    float[] levels = new float[256];
    for (int k = 0; k < levels.length; k++) {
      levels[k] = k / 255f;
    }
    return levels;
  }

  /**
   * Encodes a sample in its binary form.
   *
   * @throws IllegalArgumentException if its own id is longer than 65,535 bytes
   */
  public byte[] encode(Sample sample) {
    byte[] id = sample.id().getBytes(StandardCharsets.UTF_8);
    if (id.length > ID_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "the id has %d bytes; at most %d", id.length, ID_BYTES_MAX));
    }
    float[] dense = sample.dense();
    boolean asBytes = dense.length > 0 && allLevels(dense);
    int denseBytes = asBytes ? dense.length : dense.length * 4;
    IdLists ids = sample.ids();
    byte[] absent = absentBytes(sample.absent());
    int length =
        HEADER_BYTES
            + id.length
            + absent.length
            + denseBytes
            + sample.categorical().length * 4
            + idListBytes(ids)
            + CHECKSUM_BYTES;
    ByteBuffer out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    int flags = (asBytes ? BYTE_DENSE : 0) | (ids.features() > 0 ? HAS_IDS : 0);
    flags |= absent.length > 0 ? HAS_ABSENT : 0;
    out.put(MAGIC_0).put(MAGIC_1).put(VERSION).put((byte) flags);
    out.putFloat(sample.label());
    out.putInt(dense.length).putInt(sample.categorical().length).putShort((short) id.length);
    out.put(id).put(absent);
    for (float value : dense) {
      if (asBytes) {
        out.put((byte) level(value));
      } else {
        out.putFloat(value);
      }
    }
    for (int bucket : sample.categorical()) {
      out.putInt(bucket);
    }
    writeIds(ids, out);
    out.putInt(checksum(out.array(), length - CHECKSUM_BYTES));
    return out.array();
  }

  private static byte[] absentBytes(AbsentValues absent) {
    if (!absent.any()) {
      return NOTHING;
    }
    byte[] places = absent.placeBytes();
    byte[] needed = absent.neededBytes();
    return ByteBuffer.allocate(2 * Integer.BYTES + places.length + needed.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(places.length)
        .put(places)
        .putInt(needed.length)
        .put(needed)
        .array();
  }

  private static int idListBytes(IdLists ids) {
    if (ids.features() == 0) {
      return 0;
    }
    int bytes = 4 + 8 * ids.size();
    for (int feature = 0; feature < ids.features(); feature++) {
      int bits = Integer.SIZE - Integer.numberOfLeadingZeros(count(ids, feature));
      bytes += Math.max(1, (bits + COUNT_BITS - 1) / COUNT_BITS);
    }
    return bytes;
  }

  private static int count(IdLists ids, int feature) {
    return ids.to(feature) - ids.from(feature);
  }

  private static void writeIds(IdLists ids, ByteBuffer out) {
    if (ids.features() == 0) {
      return;
    }
    out.putInt(ids.features());
    for (int feature = 0; feature < ids.features(); feature++) {
      int rest = count(ids, feature);
      while (rest >> COUNT_BITS != 0) {
        out.put((byte) (rest | 0x80));
        rest >>= COUNT_BITS;
      }
      out.put((byte) rest);
    }
    for (int i = 0; i < ids.size(); i++) {
      out.putLong(ids.key(i));
    }
  }

  private static boolean allLevels(float[] dense) {
    for (float value : dense) {
      if (level(value) < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns k if a dense value is exactly k/255, so that one byte can store it, else -1. Minus zero
   * is no level.
   */
  private static int level(float value) {
    if (!(value >= 0 && value <= 1)) {
      return -1;
    }
    int k = Math.round(value * 255);
    return Float.floatToRawIntBits(LEVELS[k]) == Float.floatToRawIntBits(value) ? k : -1;
  }

  private int checksum(byte[] bytes, int length) {
    checksum.reset();
    checksum.update(bytes, 0, length);
    return (int) checksum.getValue();
  }

  /**
   * Decodes a sample from its binary form.
   *
   * @throws MalformedSampleException if the bytes are not exactly one undamaged encoded sample
   */
  public Sample decode(byte[] bytes) throws MalformedSampleException {
    if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES) {
      throw new MalformedSampleException("length", bytes.length + " bytes are too few");
    }
    if (bytes[0] != MAGIC_0 || bytes[1] != MAGIC_1) {
      throw new MalformedSampleException("byte 0", "not an encoded sample");
    }
    if (bytes[2] != VERSION) {
      throw new MalformedSampleException(
          "byte 2", "format version " + bytes[2] + ", known is " + VERSION);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int found = in.getInt(bytes.length - CHECKSUM_BYTES);
    if (found != checksum(bytes, bytes.length - CHECKSUM_BYTES)) {
      throw new MalformedSampleException("checksum", "the bytes were damaged");
    }
    return read(in, bytes.length);
  }

  private static Sample read(ByteBuffer in, int length) throws MalformedSampleException {
    boolean asBytes = (in.get(3) & BYTE_DENSE) != 0;
    boolean hasIds = (in.get(3) & HAS_IDS) != 0;
    in.position(4);
    float label = in.getFloat();
    int denseCount = in.getInt();
    int categoryCount = in.getInt();
    int idBytes = in.getShort() & 0xFFFF;
    long expected =
        (long) HEADER_BYTES
            + idBytes
            + (asBytes ? 1L : 4L) * denseCount
            + 4L * categoryCount
            + CHECKSUM_BYTES;
    boolean hasAbsent = (in.get(3) & HAS_ABSENT) != 0;
    boolean fits = hasIds || hasAbsent ? expected < length : expected == length;
    if (denseCount < 0 || categoryCount < 0 || !fits) {
      throw otherLength(length, expected);
    }
    String id = text(in, idBytes);
    AbsentValues absent = AbsentValues.NONE;
    if (hasAbsent) {
      BitSet places = bits(in, length);
      absent = AbsentValues.of(places, bits(in, length));
      expected = in.position() + expected - HEADER_BYTES - idBytes;
      if (hasIds ? expected >= length : expected != length) {
        throw otherLength(length, expected);
      }
    }
    float[] dense = new float[denseCount];
    for (int i = 0; i < denseCount; i++) {
      dense[i] = asBytes ? LEVELS[in.get() & 0xFF] : in.getFloat();
    }
    int[] categorical = new int[categoryCount];
    for (int i = 0; i < categoryCount; i++) {
      categorical[i] = in.getInt();
    }
    IdLists ids = hasIds ? ids(in, length) : IdLists.NONE;
    if (absent.length() > denseCount + categoryCount + ids.features()) {
      throw new MalformedSampleException("absent", "a value that the sample does not have");
    }
    return new Sample(id, dense, categorical, ids, label, absent);
  }

  private static BitSet bits(ByteBuffer in, int length) throws MalformedSampleException {
    int rest = length - CHECKSUM_BYTES - in.position() - Integer.BYTES;
    int bytes = rest < 0 ? 0 : in.getInt();
    if (bytes < 0 || bytes > rest) {
      throw otherLength(length, in.position() + (long) bytes + CHECKSUM_BYTES);
    }
    ByteBuffer part = in.slice(in.position(), bytes);
    in.position(in.position() + bytes);
    return BitSet.valueOf(part);
  }

  private static MalformedSampleException otherLength(int length, long expected) {
    return new MalformedSampleException(
        "length",
        String.format(Locale.ROOT, "%d bytes where its counts ask for %d", length, expected));
  }

  private static IdLists ids(ByteBuffer in, int length) throws MalformedSampleException {
    int end = length - CHECKSUM_BYTES;
    if (end - in.position() < 4) {
      throw otherLength(length, in.position() + 4L + CHECKSUM_BYTES);
    }
    int features = in.getInt();
    long least = in.position() + 9L * features + CHECKSUM_BYTES;
    if (features < 1 || least > length) {
      throw otherLength(length, least);
    }
    int[] ends = new int[features];
    long keyCount = 0;
    for (int feature = 0; feature < features; feature++) {
      int count = count(in, end);
      keyCount += count;
      if (count < 1 || keyCount > length) {
        throw new MalformedSampleException(
            "ids", String.format(Locale.ROOT, "feature %d has %d keys", feature, count));
      }
      ends[feature] = (int) keyCount;
    }
    long expected = in.position() + 8L * keyCount + CHECKSUM_BYTES;
    if (expected != length) {
      throw otherLength(length, expected);
    }
    long[] keys = new long[(int) keyCount];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = in.getLong();
    }
    return new IdLists(keys, ends);
  }

  private static int count(ByteBuffer in, int end) throws MalformedSampleException {
    int count = 0;
    for (int shift = 0; shift <= COUNT_BITS_MAX && in.position() < end; shift += COUNT_BITS) {
      byte next = in.get();
      count |= (next & 0x7F) << shift;
      if (next >= 0) {
        return count;
      }
    }
    throw new MalformedSampleException("ids", "the number of keys of a feature does not end");
  }

  private static String text(ByteBuffer in, int bytes) throws MalformedSampleException {
    if (bytes == 0) {
      return "";
    }
    ByteBuffer part = in.slice(in.position(), bytes);
    in.position(in.position() + bytes);
    try {
      CharBuffer chars = StandardCharsets.UTF_8.newDecoder().decode(part);
      return chars.toString();
    } catch (CharacterCodingException notText) {
      throw new MalformedSampleException("id", "not UTF-8");
    }
  }
}
