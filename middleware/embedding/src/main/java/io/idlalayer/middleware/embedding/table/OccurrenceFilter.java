package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import io.idlalayer.middleware.primitive.BitMixer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how often ids without a row occurred since their counts were last halved; an estimate
 * is never too low. A counting Bloom filter with conservative update (Estan and Varghese 2002) in
 * blocks (Putze 2007): all cells of an id are in one block, so that an occurrence changes one block
 * of 1 KiB, which is written to the store.
 *
 * <p>All counts of a block are halved before more than half of its cells would be above 0. So an id
 * that did not occur has a count with probability {@code 0.5^hashes} at most, however many ids
 * occur. The number of blocks is chosen so that with the expected number of ids about one block in
 * ten thousand is halved. One thread.
 */
final class OccurrenceFilter {
  /** Largest count of a cell, which has four bits. */
  static final int MOST = Admission.BLOOM_MOST;

  private static final int CELLS = 2048;
  private static final int BITS = 4;
  private static final int BLOCK_BYTES = CELLS * BITS / Byte.SIZE;
  private static final int MOST_TAKEN = CELLS / 2;
  private static final double MOST_BLOCKS = 1 << 30;

  /** Room that a block has beyond its mean number of ids, in standard deviations. */
  private static final double SPARE = 4;

  /** Bytes of DRAM that a block takes besides its cells. */
  private static final int OVERHEAD_BYTES = 16 + Long.BYTES + 2 * Integer.BYTES;

  private static final byte VERSION = 1;
  private static final int STORED_HEAD_BYTES = 1 + Integer.BYTES;

  /**
   * Mask that clears, when the two counts of a byte are shifted at once, the bit that each receives
   * from its neighbour.
   */
  private static final int HALVED = 0x77;

  private static final long HASH_OF_BLOCK = 0x5851F42D4C957F2DL;

  private final int hashes;
  private final byte[] @Nullable [] blocks;

  /** For each block, the number of its cells above 0. */
  private final int[] taken;

  /**
   * For each block, the time at which its counts were last halved for their age, or at which it was
   * made; seconds since 1970.
   */
  private final int[] agedSeconds;

  private final TreeSet<Integer> changed = new TreeSet<>();
  private long used;

  OccurrenceFilter(Admission.Bloom size) {
    hashes = hashes(size);
    int count = blocks(size);
    blocks = new byte[count][];
    taken = new int[count];
    agedSeconds = new int[count];
  }

  private static int hashes(Admission.Bloom size) {
    return Math.max(1, (int) Math.ceil(-Math.log(size.falseAdmissions()) / Math.log(2) - 1e-9));
  }

  private static int blocks(Admission.Bloom size) {
    double room = CELLS * Math.log(2) / hashes(size);
    double root = Math.sqrt(SPARE * SPARE / 4 + room) - SPARE / 2;
    return (int) Math.min(MOST_BLOCKS, Math.ceil(size.expectedIds() / (root * root)));
  }

  /**
   * Returns the bytes of DRAM that the filter takes when many ids are in it; 0 if the settings want
   * no filter.
   */
  static long mostBytes(Admission admission) {
    return admission.filters()
        ? (long) blocks(admission.bloom()) * (BLOCK_BYTES + OVERHEAD_BYTES)
        : 0;
  }

  /** Returns the bytes of DRAM that the filter takes now. */
  long bytes() {
    return (long) blocks.length * OVERHEAD_BYTES + used * BLOCK_BYTES;
  }

  /**
   * Returns the number of blocks and the number of hash functions. Only a filter of the same shape
   * can read the blocks.
   */
  long[] shape() {
    return new long[] {blocks.length, hashes};
  }

  int blocks() {
    return blocks.length;
  }

  private int block(long rowKey) {
    long hash = BitMixer.splitMix(rowKey ^ HASH_OF_BLOCK);
    return (int) (((hash >>> Integer.SIZE) * blocks.length) >>> Integer.SIZE);
  }

  private static int cell(long rowKey, int hash) {
    return (int) BitMixer.splitMix(BitMixer.murmur(rowKey) + (hash + 1) * BitMixer.GOLDEN_RATIO)
        & (CELLS - 1);
  }

  private static int get(byte[] block, int cell) {
    return (block[cell >>> 1] >>> ((cell & 1) * BITS)) & MOST;
  }

  private static void set(byte[] block, int cell, int count) {
    int shift = (cell & 1) * BITS;
    block[cell >>> 1] = (byte) ((block[cell >>> 1] & ~(MOST << shift)) | (count << shift));
  }

  /** Returns the estimated count of an id; {@link #MOST} also stands for larger counts. */
  int count(long rowKey) {
    byte[] block = blocks[block(rowKey)];
    return block == null ? 0 : count(block, rowKey);
  }

  private int count(byte[] block, long rowKey) {
    int least = MOST;
    for (int hash = 0; hash < hashes; hash++) {
      least = Math.min(least, get(block, cell(rowKey, hash)));
    }
    return least;
  }

  /**
   * Adds occurrences of an id to its count.
   *
   * @param times number of occurrences, at least 1
   * @param nowSeconds since 1970
   * @return the count of the id with them
   */
  int add(long rowKey, int times, long nowSeconds) {
    int index = block(rowKey);
    byte[] block = blocks[index];
    if (block == null) {
      block = new byte[BLOCK_BYTES];
      blocks[index] = block;
      agedSeconds[index] = (int) nowSeconds;
      used++;
    }
    while (taken[index] > 0 && taken[index] + free(block, rowKey) > MOST_TAKEN) {
      halve(index, block);
    }
    int count = (int) Math.min(MOST, (long) count(block, rowKey) + times);
    for (int hash = 0; hash < hashes; hash++) {
      int cell = cell(rowKey, hash);
      int before = get(block, cell);
      if (before < count) {
        taken[index] += before == 0 ? 1 : 0;
        set(block, cell, count);
      }
    }
    changed.add(index);
    return count;
  }

  /** Returns how many of an id's cells are 0; a cell that two hash functions share counts twice. */
  private int free(byte[] block, long rowKey) {
    int free = 0;
    for (int hash = 0; hash < hashes; hash++) {
      free += get(block, cell(rowKey, hash)) == 0 ? 1 : 0;
    }
    return free;
  }

  private void halve(int index, byte[] block) {
    for (int i = 0; i < BLOCK_BYTES; i++) {
      block[i] = (byte) ((block[i] >>> 1) & HALVED);
    }
    recount(index, block);
    changed.add(index);
  }

  private void recount(int index, byte[] block) {
    int above = 0;
    for (byte two : block) {
      above += (two & MOST) == 0 ? 0 : 1;
      above += (two & (MOST << BITS)) == 0 ? 0 : 1;
    }
    taken[index] = above;
  }

  /**
   * Halves the counts of blocks that were not halved for long.
   *
   * @param from first block to look at
   * @param to end of the blocks to look at, exclusive
   * @param ageSeconds after which counts are halved, above 0
   */
  void age(int from, int to, double ageSeconds, long nowSeconds) {
    for (int index = from; index < to; index++) {
      byte[] block = blocks[index];
      long age = nowSeconds - Integer.toUnsignedLong(agedSeconds[index]);
      // An age is below 0 after the clock was set back; without this, the block would not age until
      // the clock had caught up.
      if (block != null && (age > ageSeconds || age < -ageSeconds)) {
        agedSeconds[index] = (int) nowSeconds;
        halve(index, block);
      }
    }
  }

  /** Writes the blocks to the store that have changed. */
  void write(RowStore store) {
    if (changed.isEmpty()) {
      return;
    }
    Map<Long, byte[]> written = new HashMap<>();
    for (int index : changed) {
      byte[] block = blocks[index];
      if (block != null) {
        written.put(
            (long) index,
            ByteBuffer.allocate(STORED_HEAD_BYTES + BLOCK_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(VERSION)
                .putInt(agedSeconds[index])
                .put(block)
                .array());
      }
    }
    store.writeFilter(written);
    changed.clear();
  }

  /**
   * Reads blocks that a filter of the same {@link #shape} has written.
   *
   * @throws RowStoreException if a block is damaged
   */
  void read(Iterator<Map.Entry<Long, byte[]>> stored) {
    stored.forEachRemaining(
        each -> {
          byte[] bytes = each.getValue();
          long index = each.getKey();
          boolean readable =
              bytes.length == STORED_HEAD_BYTES + BLOCK_BYTES
                  && bytes[0] == VERSION
                  && index >= 0
                  && index < blocks.length;
          if (!readable) {
            throw new RowStoreException(
                String.format(
                    Locale.ROOT, "id filter: block %d (%d bytes) is damaged", index, bytes.length));
          }
          int at = (int) index;
          byte[] block = Arrays.copyOfRange(bytes, STORED_HEAD_BYTES, bytes.length);
          blocks[at] = block;
          agedSeconds[at] = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(1);
          recount(at, block);
          used++;
        });
  }
}
