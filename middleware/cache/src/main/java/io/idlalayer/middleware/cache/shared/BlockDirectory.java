package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.primitive.BitMixer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The list of one segment's blocks in a shared file: the list consists of sets of four entries, and
 * the digest of a block determines two sets. If both sets are full, a new block takes the entry of
 * another block, and only the process of that block still finds it.
 *
 * <pre>
 *  0         8             24              28                32
 *  +---------+-------------+---------------+-----------------+
 *  | version | digest (16) | offset, in 8s | bytes of record |
 *  +---------+-------------+---------------+-----------------+
 * </pre>
 *
 * A version is odd while its entry is being written, and grows with each change. The offset counts
 * from the first region. One thread of one process writes at a time; any process can read. A reader
 * copies the record and then checks that the version is still the same ({@link #unchanged}).
 */
final class BlockDirectory {
  static final int ENTRY_BYTES = 32;
  static final int WAYS = 4;

  /** The value that means "no entry". */
  static final int NONE = -1;

  private static final int HIGH_AT = 8;
  private static final int LOW_AT = 16;
  private static final int OFFSET_AT = 24;
  private static final int LENGTH_AT = 28;
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer bytes;
  private final int start;
  private final int sets;
  private int next;

  /**
   * @param bytes a mapped part of a file
   * @param start offset of the first entry in {@code bytes}
   * @param entries number of entries, a power of two of at least {@link #WAYS}
   */
  BlockDirectory(ByteBuffer bytes, int start, int entries) {
    this.bytes = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.start = start;
    sets = entries / WAYS;
  }

  int entries() {
    return sets * WAYS;
  }

  private int at(int entry) {
    return start + entry * ENTRY_BYTES;
  }

  private static long hash(PayloadDigest digest) {
    return BitMixer.murmur(digest.high() ^ digest.low());
  }

  private int firstSet(long hash) {
    return ((int) hash & (sets - 1)) * WAYS;
  }

  private int secondSet(long hash) {
    return ((int) (hash >>> Integer.SIZE) & (sets - 1)) * WAYS;
  }

  /**
   * Returns the entry of a block, or {@link #NONE}. An entry that is being written is not returned.
   */
  int find(PayloadDigest digest) {
    long hash = hash(digest);
    int entry = find(digest, firstSet(hash));
    return entry == NONE ? find(digest, secondSet(hash)) : entry;
  }

  private int find(PayloadDigest digest, int first) {
    for (int entry = first; entry < first + WAYS; entry++) {
      int at = at(entry);
      if (bytes.getLong(at + HIGH_AT) == digest.high()
          && bytes.getLong(at + LOW_AT) == digest.low()) {
        return entry;
      }
    }
    return NONE;
  }

  /** Returns the version of an entry. Callers must read it before anything else of the entry. */
  long version(int entry) {
    return (long) LONGS.getAcquire(bytes, at(entry));
  }

  /** Returns whether an entry was complete at a version, and has not changed since. */
  boolean unchanged(int entry, long version) {
    VarHandle.acquireFence();
    return (version & 1) == 0 && (long) LONGS.getAcquire(bytes, at(entry)) == version;
  }

  PayloadDigest digest(int entry) {
    return new PayloadDigest(bytes.getLong(at(entry) + HIGH_AT), bytes.getLong(at(entry) + LOW_AT));
  }

  boolean empty(int entry) {
    return bytes.getLong(at(entry) + HIGH_AT) == 0;
  }

  /**
   * Returns the offset of a record from the first region, in bytes; negative in a damaged entry.
   */
  long offset(int entry) {
    return (long) bytes.getInt(at(entry) + OFFSET_AT) << 3;
  }

  /** Returns the number of bytes of a record; any number for a damaged entry. */
  int length(int entry) {
    return bytes.getInt(at(entry) + LENGTH_AT);
  }

  /**
   * Lists a block whose record is complete. The entry replaces an older entry with the same digest.
   *
   * @param offset distance of the record from the first region in bytes, a multiple of 8
   */
  void list(PayloadDigest digest, long offset, int length) {
    int entry = find(digest);
    if (entry == NONE) {
      entry = free(digest);
    }
    write(entry, digest.high(), digest.low(), (int) (offset >> 3), length);
  }

  private int free(PayloadDigest digest) {
    long hash = hash(digest);
    int first = firstSet(hash);
    int second = secondSet(hash);
    int inFirst = emptyIn(first);
    int inSecond = emptyIn(second);
    if (inFirst != NONE && (inSecond == NONE || inFirst - first <= inSecond - second)) {
      return inFirst;
    }
    if (inSecond != NONE) {
      return inSecond;
    }
    next = (next + 1) % WAYS;
    return first + next;
  }

  /** Returns the first empty entry of a set, or {@link #NONE}. */
  private int emptyIn(int first) {
    for (int entry = first; entry < first + WAYS; entry++) {
      if (empty(entry)) {
        return entry;
      }
    }
    return NONE;
  }

  /**
   * Removes the block whose record is at an offset, if it is listed. When this method has returned,
   * readers that copy the record from then on find that it is not complete.
   */
  void remove(PayloadDigest digest, long offset) {
    int entry = find(digest);
    if (entry != NONE && offset(entry) == offset) {
      clear(entry);
    }
  }

  void clear(int entry) {
    write(entry, 0, 0, 0, 0);
  }

  private void write(int entry, long high, long low, int offset, int length) {
    int at = at(entry);
    // The version can be odd if a writer was killed.
    long odd = (long) LONGS.getAcquire(bytes, at) | 1;
    LONGS.setVolatile(bytes, at, odd);
    VarHandle.fullFence();
    bytes.putLong(at + HIGH_AT, high);
    bytes.putLong(at + LOW_AT, low);
    bytes.putInt(at + OFFSET_AT, offset);
    bytes.putInt(at + LENGTH_AT, length);
    LONGS.setVolatile(bytes, at, odd + 1);
    // The bytes of the record must change only after this.
    VarHandle.fullFence();
  }
}
