package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.cache.shared.PayloadDigest;
import io.idlalayer.middleware.primitive.BitMixer;
import org.jspecify.annotations.Nullable;

/**
 * The digests of the payloads of one learner's samples, by sample id: open addressing, linear
 * probing, backward-shift deletion, at most half full. Confined to one thread.
 */
public final class PayloadDigests {
  private static final int FIRST_LENGTH = 64;
  private static final int BYTES_PER_CELL = 3 * Long.BYTES;

  /**
   * High halves of the digests. The value 0 marks a free cell, because no digest has the high half
   * 0.
   */
  private long[] highs = new long[FIRST_LENGTH];

  private long[] lows = new long[FIRST_LENGTH];
  private long[] ids = new long[FIRST_LENGTH];
  private int size;

  /** Returns an upper bound of the heap bytes for the digests of a number of samples. */
  public static long heapBytesFor(long samples) {
    return Long.highestOneBit(Math.max(FIRST_LENGTH / 4, samples)) * 4 * BYTES_PER_CELL;
  }

  public int size() {
    return size;
  }

  private static int cell(long id, int mask) {
    return (int) BitMixer.murmur(id) & mask;
  }

  /** Returns the cell of an id, or the free cell in which it must be inserted. */
  private int find(long id) {
    int mask = ids.length - 1;
    int at = cell(id, mask);
    while (highs[at] != 0 && ids[at] != id) {
      at = (at + 1) & mask;
    }
    return at;
  }

  /** Returns the digest of a sample's payload, or null if it is not known. */
  public @Nullable PayloadDigest get(long id) {
    int at = find(id);
    return highs[at] == 0 ? null : new PayloadDigest(highs[at], lows[at]);
  }

  /**
   * Sets the digest of a sample's payload.
   *
   * @throws IllegalArgumentException if its high half is 0, which no digest has
   */
  public void put(long id, PayloadDigest digest) {
    if (digest.high() == 0) {
      throw new IllegalArgumentException("no payload has the digest " + digest);
    }
    if (2 * (size + 1) > ids.length) {
      grow();
    }
    int at = find(id);
    size += highs[at] == 0 ? 1 : 0;
    ids[at] = id;
    highs[at] = digest.high();
    lows[at] = digest.low();
  }

  private void grow() {
    long[] oldHighs = highs;
    long[] oldLows = lows;
    long[] oldIds = ids;
    highs = new long[2 * oldHighs.length];
    lows = new long[2 * oldHighs.length];
    ids = new long[2 * oldHighs.length];
    for (int old = 0; old < oldIds.length; old++) {
      if (oldHighs[old] != 0) {
        int at = find(oldIds[old]);
        ids[at] = oldIds[old];
        highs[at] = oldHighs[old];
        lows[at] = oldLows[old];
      }
    }
  }

  /** Removes the digest of a sample's payload, if it is known. */
  public void remove(long id) {
    int mask = ids.length - 1;
    int hole = find(id);
    if (highs[hole] == 0) {
      return;
    }
    size--;
    for (int next = (hole + 1) & mask; highs[next] != 0; next = (next + 1) & mask) {
      int first = cell(ids[next], mask);
      if (((next - first) & mask) >= ((next - hole) & mask)) {
        ids[hole] = ids[next];
        highs[hole] = highs[next];
        lows[hole] = lows[next];
        hole = next;
      }
    }
    highs[hole] = 0;
  }
}
