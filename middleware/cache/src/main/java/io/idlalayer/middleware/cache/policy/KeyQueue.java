package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;

/** A queue of key hashes, oldest first. */
final class KeyQueue {
  private long[] ring = new long[64];
  private int head;
  private int size;

  void add(long hash) {
    if (size == ring.length) {
      long[] larger = Arrays.copyOfRange(ring, head, head + 2 * size);
      System.arraycopy(ring, 0, larger, size - head, head);
      ring = larger;
      head = 0;
    }
    ring[(head + size++) & (ring.length - 1)] = hash;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  long first() {
    return ring[head];
  }

  void removeFirst() {
    head = (head + 1) & (ring.length - 1);
    size--;
  }

  void clear() {
    head = 0;
    size = 0;
  }

  long bytes() {
    return 8L * ring.length;
  }
}
