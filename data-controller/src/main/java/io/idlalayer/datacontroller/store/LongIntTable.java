package io.idlalayer.datacontroller.store;

import java.util.Arrays;

/**
 * Long keys to slots of the index: open addressing, linear probing, backward-shift deletion. No
 * boxing, at most half full.
 */
final class LongIntTable {
  static final int ABSENT = -1;

  private long[] keys = new long[64];
  private int[] slots = filled(64);
  private int size;

  private static int[] filled(int length) {
    int[] slots = new int[length];
    Arrays.fill(slots, ABSENT);
    return slots;
  }

  int get(long key) {
    int at = find(key);
    return slots[at];
  }

  void put(long key, int slot) {
    if ((size + 1) * 2 > keys.length) {
      grow();
    }
    int at = find(key);
    if (slots[at] == ABSENT) {
      size++;
      keys[at] = key;
    }
    slots[at] = slot;
  }

  void remove(long key) {
    int at = find(key);
    if (slots[at] == ABSENT) {
      return;
    }
    size--;
    int mask = keys.length - 1;
    int hole = at;
    for (int next = (at + 1) & mask; slots[next] != ABSENT; next = (next + 1) & mask) {
      int home = home(keys[next]);
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        keys[hole] = keys[next];
        slots[hole] = slots[next];
        hole = next;
      }
    }
    slots[hole] = ABSENT;
  }

  int size() {
    return size;
  }

  /** The cell of a key, or the free cell where it would go. */
  private int find(long key) {
    int mask = keys.length - 1;
    int at = home(key);
    while (slots[at] != ABSENT && keys[at] != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int home(long key) {
    long mixed = key * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32) & (keys.length - 1);
  }

  private void grow() {
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
}
