package io.idlalayer.middleware.cache.policy;

import io.idlalayer.middleware.primitive.BitMixer;
import java.util.Arrays;

/**
 * A hash map from the hashes of keys to slots: open addressing, linear probing, backward-shift
 * deletion, at most half full.
 */
final class KeyTable {
  static final int ABSENT = -1;

  /** Largest number of cells of the table: the largest array whose length is a power of two. */
  private static final int MOST_CELLS = 1 << 30;

  private long[] keys = new long[32];
  private int[] slots = filled(32);
  private int size;

  private static int[] filled(int length) {
    int[] slots = new int[length];
    Arrays.fill(slots, ABSENT);
    return slots;
  }

  private int find(long hash) {
    int mask = keys.length - 1;
    int at = BitMixer.cell(hash, keys.length);
    while (slots[at] != ABSENT && keys[at] != hash) {
      at = (at + 1) & mask;
    }
    return at;
  }

  int get(long hash) {
    return slots[find(hash)];
  }

  void put(long hash, int slot) {
    if (size >= keys.length / 2) {
      grow();
    }
    int at = find(hash);
    if (slots[at] == ABSENT) {
      size++;
    }
    keys[at] = hash;
    slots[at] = slot;
  }

  void remove(long hash) {
    int hole = find(hash);
    if (slots[hole] == ABSENT) {
      return;
    }
    size--;
    int mask = keys.length - 1;
    for (int next = (hole + 1) & mask; slots[next] != ABSENT; next = (next + 1) & mask) {
      if (((next - BitMixer.cell(keys[next], keys.length)) & mask) >= ((next - hole) & mask)) {
        keys[hole] = keys[next];
        slots[hole] = slots[next];
        hole = next;
      }
    }
    slots[hole] = ABSENT;
  }

  private void grow() {
    if (keys.length == MOST_CELLS) {
      throw new IllegalStateException(
          "a table of the cache holds at most %,d blocks".formatted(MOST_CELLS / 2));
    }
    long[] oldKeys = keys;
    int[] oldSlots = slots;
    keys = new long[oldKeys.length * 2];
    slots = filled(oldKeys.length * 2);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldSlots[i] != ABSENT) {
        int at = find(oldKeys[i]);
        keys[at] = oldKeys[i];
        slots[at] = oldSlots[i];
      }
    }
  }

  long bytes() {
    return 12L * keys.length;
  }
}
