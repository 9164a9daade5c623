package io.idlalayer.middleware.embedding.hot;

import io.idlalayer.middleware.primitive.BitMixer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps in DRAM the rows that were used often in recent times. Each use warms a row. A clock hand
 * moves over the slots, and the coolest of the next {@value #LOOKED_AT} rows gives its slot to a
 * row that occurred more often (admission by frequency, TinyLFU, Einziger 2017). Small counters,
 * which several rows share, count the occurrences of rows that are not in DRAM. Each row has two of
 * them, and the smaller one is its count (count-min with conservative updates). A row that leaves
 * gets its warmth as count. From time to time all counts and warmths are halved, so that old uses
 * are forgotten.
 *
 * <p>Counters up to 3 are enough, because all that matters is whether a row occurred two or three
 * times while the coolest rows in DRAM did not. Twice as many of them fit into the memory of
 * counters up to 15, so fewer rows share a counter.
 */
final class FrequencyPolicy implements RowPolicy {
  /** Bytes of DRAM that the counters take for each row. */
  static final int BYTES_PER_ROW = 2;

  /** Number of rows that the clock hand checks for each row that needs a slot. */
  private static final int LOOKED_AT = 8;

  /** Number of uses, for each row of the capacity, after which all counters are halved. */
  private static final int USES_PER_ROW = 20;

  private static final int BITS = 2;
  private static final int MOST = (1 << BITS) - 1;

  /** Mask for the bits of a hash that select one of the four counters in a byte. */
  private static final int PLACE = Byte.SIZE / BITS - 1;

  /**
   * Mask that clears, when all counters of a byte are shifted at once, the bit that each receives
   * from its neighbour.
   */
  private static final int HALVED = 0x55;

  private int hand;
  private long uses;

  /** The counters, four in each byte. */
  private byte @Nullable [] counters;

  @Override
  public void used(HotRows rows, int[] slots, int from, int to) {
    uses += rows.warm(slots, from, to);
  }

  @Override
  public boolean takes() {
    return true;
  }

  @Override
  public int victim(HotRows rows, long rowKey) {
    age(rows);
    int least = count(rows, rowKey);
    int coolest = HotRows.NONE;
    for (int i = 0; i < LOOKED_AT; i++) {
      int slot = hand;
      hand = hand + 1 == rows.slots() ? 0 : hand + 1;
      int heat = rows.heat(slot);
      if (heat < least) {
        least = heat;
        coolest = slot;
        if (heat == 0) {
          break;
        }
      }
    }
    if (coolest != HotRows.NONE) {
      remember(rows.rowKey(coolest), least);
    }
    return coolest;
  }

  /**
   * Adds the uses of a row that leaves DRAM to its counters, which did not count them while it was
   * in DRAM.
   */
  private void remember(long rowKey, int heat) {
    byte[] all = counters;
    if (all != null) {
      long one = BitMixer.scattered(rowKey);
      long other = BitMixer.murmur(rowKey);
      for (int count = 0; count < Math.min(heat, MOST); count++) {
        raise(all, one, count);
        raise(all, other, count);
      }
    }
  }

  /**
   * Counts an occurrence of a row that is not in DRAM, and returns the number of its occurrences
   * with this one.
   */
  private int count(HotRows rows, long rowKey) {
    uses++;
    byte[] all = counters;
    if (all == null) {
      all = new byte[BYTES_PER_ROW * rows.capacity()];
      counters = all;
    }
    long one = BitMixer.scattered(rowKey);
    long other = BitMixer.murmur(rowKey);
    int count = Math.min(get(all, one), get(all, other));
    if (count < MOST) {
      raise(all, one, count);
      raise(all, other, count);
    }
    return count + 1;
  }

  private static int cell(byte[] all, long bits) {
    return (int) (((bits >>> Integer.SIZE) * all.length) >>> Integer.SIZE);
  }

  private static int shift(long bits) {
    return BITS * (int) (bits & PLACE);
  }

  private static int get(byte[] all, long bits) {
    return (all[cell(all, bits)] >>> shift(bits)) & MOST;
  }

  /** Increases a counter by one if it has the given count. */
  private static void raise(byte[] all, long bits, int count) {
    if (get(all, bits) == count) {
      all[cell(all, bits)] += (byte) (1 << shift(bits));
    }
  }

  private void age(HotRows rows) {
    long most = (long) USES_PER_ROW * rows.capacity();
    if (uses < most) {
      return;
    }
    // The limit is not half of the uses: many may have accumulated since a row last had to leave,
    // and several halvings in succession would make all rows cold.
    uses = most / 2;
    for (int slot = 0; slot < rows.slots(); slot++) {
      rows.heat(slot, rows.heat(slot) / 2);
    }
    byte[] all = counters;
    if (all != null) {
      for (int i = 0; i < all.length; i++) {
        all[i] = (byte) ((all[i] >>> 1) & HALVED);
      }
    }
  }

  @Override
  public void entered(HotRows rows, int slot) {
    byte[] all = counters;
    int count = 1;
    if (all != null) {
      long rowKey = rows.rowKey(slot);
      count = Math.min(get(all, BitMixer.scattered(rowKey)), get(all, BitMixer.murmur(rowKey)));
    }
    rows.heat(slot, Math.max(1, count));
  }

  @Override
  public void resized() {
    hand = 0;
    // Counters for another capacity have other places.
    counters = null;
  }

  @Override
  public long bytes() {
    return counters == null ? 0 : counters.length;
  }
}
