package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** Doubly linked lists of slots in shared arrays; a slot is in one list at a time. All O(1). */
final class SlotLists {
  static final int NONE = -1;

  private final int[] first;
  private final int[] last;
  private final int[] sizes;
  private int[] before = {};
  private int[] after = {};
  private byte[] list = {};

  SlotLists(int lists) {
    first = new int[lists];
    last = new int[lists];
    sizes = new int[lists];
    Arrays.fill(first, NONE);
    Arrays.fill(last, NONE);
  }

  void ensure(int slots) {
    int old = list.length;
    if (slots <= old) {
      return;
    }
    int length = Math.max(slots, old + (old >> 1));
    before = Arrays.copyOf(before, length);
    after = Arrays.copyOf(after, length);
    list = Arrays.copyOf(list, length);
    Arrays.fill(list, old, length, (byte) NONE);
  }

  /** Returns the number of the list that holds a slot, or {@link #NONE}. */
  int of(int slot) {
    return list[slot];
  }

  int last(int which) {
    return last[which];
  }

  int size(int which) {
    return sizes[which];
  }

  void addFirst(int which, int slot) {
    int head = first[which];
    before[slot] = NONE;
    after[slot] = head;
    if (head == NONE) {
      last[which] = slot;
    } else {
      before[head] = slot;
    }
    first[which] = slot;
    list[slot] = (byte) which;
    sizes[which]++;
  }

  void remove(int slot) {
    int which = list[slot];
    int left = before[slot];
    int right = after[slot];
    if (left == NONE) {
      first[which] = right;
    } else {
      after[left] = right;
    }
    if (right == NONE) {
      last[which] = left;
    } else {
      before[right] = left;
    }
    list[slot] = (byte) NONE;
    sizes[which]--;
  }

  void moveFirst(int which, int slot) {
    if (first[which] != slot) {
      remove(slot);
      addFirst(which, slot);
    }
  }

  /** Visits the slots of a list from its last to its first. */
  void forEachFromLast(int which, IntConsumer visitor) {
    for (int slot = last[which]; slot != NONE; ) {
      int next = before[slot];
      visitor.accept(slot);
      slot = next;
    }
  }

  long bytes() {
    return 9L * list.length;
  }
}
