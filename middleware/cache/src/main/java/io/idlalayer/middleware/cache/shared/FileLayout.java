package io.idlalayer.middleware.cache.shared;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The parts of a shared cache file and where they begin. The header is little endian:
 *
 * <pre>
 *  0            8          12         16               32         36
 *  +------------+----------+----------+----------------+----------+-------------+
 *  | "idlashm1" | version  | segments | identity (16)  | regions  | regionBytes |
 *  +------------+----------+----------+----------------+----------+-------------+
 *  40                  44            48        52
 *  +-------------------+-------------+---------+
 *  | entriesPerSegment | outboxBytes | CRC32C  |   never changes in a file
 *  +-------------------+-------------+---------+
 *  128             136           144      152          160        168
 *  +---------------+-------------+--------+------------+----------+---------+
 *  | present       | last use,   | gener- | free bytes | written  | process |
 *  | regions       | epoch ms    | ation  |            | to outbox| id      |   8 bytes each
 *  +---------------+-------------+--------+------------+----------+---------+
 *  4096          directories of all segments          outbox          regions
 * </pre>
 *
 * @param identity identity of the processes that are allowed to take the file over, 16 bytes
 * @param segments number of segments of the cache, a power of two
 * @param regions largest number of regions of the file
 * @param regionBytes size of a region, a power of two of at least 4,096
 * @param entriesPerSegment entries in the directory of a segment, a power of two
 * @param outboxBytes size of the outbox, a power of two of at least 4,096
 */
record FileLayout(
    Identity identity,
    int segments,
    int regions,
    int regionBytes,
    int entriesPerSegment,
    int outboxBytes) {
  static final int VERSION = 1;
  static final int HEADER_BYTES = 4096;
  static final int PRESENT_REGIONS_AT = 128;
  static final int LAST_USE_AT = 136;
  static final int GENERATION_AT = 144;
  static final int FREE_BYTES_AT = 152;
  static final int WRITTEN_AT = 160;
  static final int PROCESS_AT = 168;

  /** Largest size of all regions together in bytes: offsets are ints that count 8 bytes. */
  static final long REGIONS_BYTES_MAX = 16L << 30;

  private static final byte[] MAGIC = {'i', 'd', 'l', 'a', 's', 'h', 'm', '1'};
  private static final int CHECKSUM_AT = 52;
  private static final int FIXED_BYTES = 56;
  private static final int BLOCK_BYTES_PER_ENTRY = 256;
  private static final int REGIONS_MAX = 1 << 14;
  private static final int SEGMENTS_MAX = 1 << 4;
  private static final int REGION_BYTES_MIN = 1 << 12;
  private static final int REGION_BYTES_MAX = 1 << 20;
  private static final int ENTRIES_MIN = 64;
  private static final int ENTRIES_MAX = 1 << 21;
  private static final int OUTBOX_BYTES_MIN = 1 << 12;
  private static final int OUTBOX_BYTES_MAX = 4 << 20;

  /** Sixteen bytes that the processes of a cluster have in common. */
  record Identity(long high, long low) {}

  FileLayout {
    require(Integer.bitCount(segments) == 1 && segments <= SEGMENTS_MAX, "segments", segments);
    require(regions >= 0 && regions <= REGIONS_MAX, "regions", regions);
    require(
        Integer.bitCount(regionBytes) == 1
            && regionBytes >= REGION_BYTES_MIN
            && regionBytes <= REGION_BYTES_MAX,
        "bytes of a region",
        regionBytes);
    require(
        Integer.bitCount(entriesPerSegment) == 1
            && entriesPerSegment >= ENTRIES_MIN
            && entriesPerSegment <= ENTRIES_MAX,
        "entries of a segment",
        entriesPerSegment);
    require(
        Integer.bitCount(outboxBytes) == 1
            && outboxBytes >= OUTBOX_BYTES_MIN
            && outboxBytes <= OUTBOX_BYTES_MAX,
        "bytes of an outbox",
        outboxBytes);
  }

  private static void require(boolean right, String what, int found) {
    if (!right) {
      throw new IllegalArgumentException(found + " " + what + " in a shared cache file");
    }
  }

  /**
   * Returns the layout of a file for a cache.
   *
   * @param ceilingBytes largest number of bytes of all regions, at most {@link #REGIONS_BYTES_MAX}
   */
  static FileLayout of(Identity identity, int segments, int regionBytes, long ceilingBytes) {
    long entries = ceilingBytes / segments / BLOCK_BYTES_PER_ENTRY;
    return new FileLayout(
        identity,
        segments,
        (int) (ceilingBytes / regionBytes),
        regionBytes,
        powerOfTwo(entries, ENTRIES_MIN, ENTRIES_MAX),
        powerOfTwo(ceilingBytes / 32, OUTBOX_BYTES_MIN, OUTBOX_BYTES_MAX));
  }

  private static int powerOfTwo(long wanted, int least, int most) {
    return (int) Long.highestOneBit(Math.max(least, Math.min(most, wanted)));
  }

  long directoryBytes() {
    return (long) segments * entriesPerSegment * BlockDirectory.ENTRY_BYTES;
  }

  int directoryOffset(int segment) {
    return HEADER_BYTES + segment * entriesPerSegment * BlockDirectory.ENTRY_BYTES;
  }

  int outboxOffset() {
    return (int) (HEADER_BYTES + directoryBytes());
  }

  /** Returns the bytes of everything before the regions. */
  int frontBytes() {
    return outboxOffset() + outboxBytes;
  }

  long regionOffset(int region) {
    return frontBytes() + (long) region * regionBytes;
  }

  /** Returns the size of a file with {@code presentRegions} regions. */
  long fileBytes(long presentRegions) {
    return frontBytes() + presentRegions * regionBytes;
  }

  /** Returns the part of the header that never changes. */
  byte[] encode() {
    byte[] bytes = new byte[FIXED_BYTES];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putInt(VERSION).putInt(segments);
    out.putLong(identity.high()).putLong(identity.low());
    out.putInt(regions).putInt(regionBytes).putInt(entriesPerSegment).putInt(outboxBytes);
    out.putInt(CHECKSUM_AT, checksum(bytes));
    return bytes;
  }

  private static int checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, CHECKSUM_AT);
    return (int) checksum.getValue();
  }

  /**
   * Reads the layout of a file.
   *
   * @param header the first bytes of the file
   * @throws UnusableFileException if this is not a shared cache file, or has another version
   */
  static FileLayout decode(byte[] header) throws UnusableFileException {
    if (header.length < FIXED_BYTES
        || !Arrays.equals(header, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new UnusableFileException("it is no shared cache file");
    }
    ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    in.position(MAGIC.length);
    int version = in.getInt();
    if (version != VERSION) {
      throw new UnusableFileException(
          "it has format version %d; this program reads version %d".formatted(version, VERSION));
    }
    if (in.getInt(CHECKSUM_AT) != checksum(header)) {
      throw new UnusableFileException("its header is damaged");
    }
    int segments = in.getInt();
    Identity identity = new Identity(in.getLong(), in.getLong());
    try {
      return new FileLayout(identity, segments, in.getInt(), in.getInt(), in.getInt(), in.getInt());
    } catch (IllegalArgumentException impossible) {
      throw new UnusableFileException(
          "its header is impossible: " + impossible.getMessage(), impossible);
    }
  }
}
