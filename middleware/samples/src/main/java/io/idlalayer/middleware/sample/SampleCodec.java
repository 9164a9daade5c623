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
 * Version 3, little endian, or 4 for a sample with a key:
 *
 * <pre>
 *  0       1         2       3       4        8           12             14
 *  +-------+---------+-------+-------+--------+-----------+--------------+-----------------+
 *  |magic D| magic L |version| flags | nDense | nCategory | id bytes (u2)| label, 4 to 8   |
 *  +-------+---------+-------+-------+--------+-----------+--------------+-----------------+
 *  +--------------------+
 *  | weight, 8, if any  |
 *  +--------------------+
 *  +------------+-------+--------------------+----------------+----------+
 *  | id (UTF-8) | dense | categories, 4 each | ids, if any    | CRC32C   |
 *  +------------+-------+--------------------+----------------+----------+
 *
 *  flags: +----------------------+------------+----------------------+----------------+
 *         | bits 0 to 2: form of | bit 3: ids | bits 4 and 5: form   | bit 6: absent  |
 *         | dense, DenseValues   |            | of label, NumberForm | values         |
 *         +----------------------+------------+----------------------+----------------+
 *         | bit 7: weight        |
 *         +----------------------+
 *  absent values, if any, stand before the label:
 *       +-------------+--------+-------------+--------+
 *       | nBytes (u4) | places | nBytes (u4) | needed |
 *       +-------------+--------+-------------+--------+
 *  in version 4 the context stands before everything that follows the header:
 *       +--------+----------+--------------+----------------+
 *       | key, 8 | order, 8 | nValues (u4) | values, 8 each |
 *       +--------+----------+--------------+----------------+
 *  ids: +---------------+---------------------------------------+--------------+
 *       | nFeature (u4) | keys of each feature, 1 to 5 bytes    | keys, 8 each |
 *       +---------------+---------------------------------------+--------------+
 * </pre>
 *
 * A sample without a weight has weight 1. Numbers are stored in the shortest form that gives back
 * the same 64 bits. {@link AbsentValues} have a bit for each place, the lowest bit of a byte first.
 * The number of keys of a feature is written with seven bits in each byte, the lowest bits first;
 * all bytes except the last are negative. The checksum covers everything before it. Confined to one
 * thread.
 */
public final class SampleCodec {
  private static final byte MAGIC_0 = 'D';
  private static final byte MAGIC_1 = 'L';
  private static final byte VERSION = 3;
  private static final byte VERSION_WITH_KEY = 4;
  private static final int CONTEXT_BYTES = 2 * Long.BYTES + Integer.BYTES;
  private static final int DENSE_MASK = 7;
  private static final int HAS_IDS = 8;
  private static final int LABEL_SHIFT = 4;
  private static final int LABEL_MASK = 3;
  private static final int HAS_ABSENT = 1 << 6;
  private static final int HAS_WEIGHT = 1 << 7;
  private static final int HEADER_BYTES = 14;
  private static final int LABEL_BYTES_MIN = 4;
  private static final int CHECKSUM_BYTES = 4;
  private static final int ID_BYTES_MAX = 0xFFFF;
  private static final int COUNT_BITS = 7;
  private static final int COUNT_BITS_MAX = 28;
  private static final byte[] NOTHING = {};

  private final CRC32C checksum = new CRC32C();
  private final DenseValues denseValues = new DenseValues();

  /**
   * Encodes a sample in its binary form.
   *
   * @throws IllegalArgumentException if the event's own id is longer than 65,535 bytes
   */
  public byte[] encode(Sample sample) {
    byte[] id = sample.id().getBytes(StandardCharsets.UTF_8);
    if (id.length > ID_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "the id has %d bytes; at most %d", id.length, ID_BYTES_MAX));
    }
    double[] dense = sample.dense();
    denseValues.measure(dense);
    int labelForm = NumberForm.of(sample.label());
    boolean weighted = sample.weight() != 1;
    IdLists ids = sample.ids();
    byte[] absent = absentBytes(sample.absent());
    KeyContext context = sample.context();
    int length =
        HEADER_BYTES
            + contextBytes(context)
            + NumberForm.bytes(labelForm)
            + (weighted ? Double.BYTES : 0)
            + id.length
            + absent.length
            + denseValues.bytes()
            + sample.categorical().length * 4
            + idListBytes(ids)
            + CHECKSUM_BYTES;
    ByteBuffer out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    int flags =
        denseValues.form() | (ids.features() > 0 ? HAS_IDS : 0) | (labelForm << LABEL_SHIFT);
    flags |= absent.length > 0 ? HAS_ABSENT : 0;
    flags |= weighted ? HAS_WEIGHT : 0;
    byte version = context.hasKey() ? VERSION_WITH_KEY : VERSION;
    out.put(MAGIC_0).put(MAGIC_1).put(version).put((byte) flags);
    out.putInt(dense.length).putInt(sample.categorical().length).putShort((short) id.length);
    if (context.hasKey()) {
      out.putLong(context.key()).putLong(context.order()).putInt(context.values().length);
      for (double value : context.values()) {
        out.putDouble(value);
      }
    }
    out.put(absent);
    NumberForm.put(sample.label(), labelForm, out);
    if (weighted) {
      out.putDouble(sample.weight());
    }
    out.put(id);
    denseValues.write(dense, out);
    for (int bucket : sample.categorical()) {
      out.putInt(bucket);
    }
    writeIds(ids, out);
    out.putInt(checksum(out.array(), length - CHECKSUM_BYTES));
    return out.array();
  }

  private static int contextBytes(KeyContext context) {
    return context.hasKey() ? CONTEXT_BYTES + Double.BYTES * context.values().length : 0;
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
    if (bytes.length < HEADER_BYTES + LABEL_BYTES_MIN + CHECKSUM_BYTES) {
      throw new MalformedSampleException("length", bytes.length + " bytes are too few");
    }
    if (bytes[0] != MAGIC_0 || bytes[1] != MAGIC_1) {
      throw new MalformedSampleException("byte 0", "not an encoded sample");
    }
    if (bytes[2] != VERSION && bytes[2] != VERSION_WITH_KEY) {
      throw new MalformedSampleException(
          "byte 2",
          String.format(
              Locale.ROOT,
              "format version %d, known are %d and %d",
              bytes[2],
              VERSION,
              VERSION_WITH_KEY));
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int found = in.getInt(bytes.length - CHECKSUM_BYTES);
    if (found != checksum(bytes, bytes.length - CHECKSUM_BYTES)) {
      throw new MalformedSampleException("checksum", "the bytes were damaged");
    }
    return read(in, bytes.length);
  }

  private static Sample read(ByteBuffer in, int length) throws MalformedSampleException {
    int flags = in.get(3) & 0xFF;
    int form = flags & DENSE_MASK;
    boolean weighted = (flags & HAS_WEIGHT) != 0;
    if (form > DenseValues.LAST_FORM) {
      throw new MalformedSampleException("byte 3", "unknown flags " + flags);
    }
    boolean hasIds = (flags & HAS_IDS) != 0;
    int labelForm = (flags >> LABEL_SHIFT) & LABEL_MASK;
    in.position(4);
    int denseCount = in.getInt();
    int categoryCount = in.getInt();
    int idBytes = in.getShort() & 0xFFFF;
    if (denseCount < 0 || categoryCount < 0) {
      throw new MalformedSampleException("length", "a count below 0");
    }
    KeyContext context = in.get(2) == VERSION_WITH_KEY ? context(in, length) : KeyContext.NONE;
    AbsentValues absent =
        (flags & HAS_ABSENT) != 0
            ? AbsentValues.of(bits(in, length), bits(in, length))
            : AbsentValues.NONE;
    int weightBytes = weighted ? Double.BYTES : 0;
    int before = in.position() + NumberForm.bytes(labelForm) + weightBytes + idBytes;
    long denseBytes = 0;
    if (before <= length - CHECKSUM_BYTES) {
      denseBytes =
          DenseValues.bytes(form, denseCount, in.slice(before, length - CHECKSUM_BYTES - before));
    }
    long expected = before + denseBytes + 4L * categoryCount + CHECKSUM_BYTES;
    boolean fits = hasIds ? expected < length : expected == length;
    if (!fits) {
      throw otherLength(length, expected);
    }
    double label = NumberForm.get(labelForm, in);
    double weight = weighted ? in.getDouble() : 1;
    String id = text(in, idBytes);
    double[] dense = DenseValues.read(form, denseCount, in);
    int[] categorical = new int[categoryCount];
    for (int i = 0; i < categoryCount; i++) {
      categorical[i] = in.getInt();
    }
    IdLists ids = hasIds ? ids(in, length) : IdLists.NONE;
    if (absent.length() > denseCount + categoryCount + ids.features()) {
      throw new MalformedSampleException("absent", "a value that the sample does not have");
    }
    if (weight < 0 || Double.isInfinite(weight)) {
      throw new MalformedSampleException("weight", weight + " is not a weight");
    }
    Sample sample = new Sample(id, dense, categorical, ids, label, absent, weight);
    return context.hasKey() ? sample.withContext(context) : sample;
  }

  private static KeyContext context(ByteBuffer in, int length) throws MalformedSampleException {
    int rest = length - CHECKSUM_BYTES - in.position() - CONTEXT_BYTES;
    long key = rest < 0 ? IdLists.MISSING : in.getLong();
    long order = rest < 0 ? 0 : in.getLong();
    int count = rest < 0 ? 0 : in.getInt();
    if (key == IdLists.MISSING || order < 0 || count < 0 || count > rest / Double.BYTES) {
      throw new MalformedSampleException("context", "no key, or values that do not fit");
    }
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = in.getDouble();
    }
    return new KeyContext(key, order, values);
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
