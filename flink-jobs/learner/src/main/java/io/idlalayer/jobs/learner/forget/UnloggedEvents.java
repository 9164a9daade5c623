package io.idlalayer.jobs.learner.forget;

import java.util.BitSet;

/**
 * The events whose first trainings have left the log, by their hashes, in a Bloom filter of at most
 * 2 MiB. It never misses one. It takes about one event in a hundred for one of them by mistake when
 * it has 1.6 million, one in ten when it has 3.5 million, and nearly all in the end. Confined to
 * one thread.
 */
final class UnloggedEvents {
  private static final int BITS = 1 << 24;
  private static final int PROBES = 4;

  private BitSet bits = new BitSet();

  void add(long hash) {
    for (int i = 0; i < PROBES; i++) {
      bits.set(place(hash, i));
    }
  }

  boolean mayContain(long hash) {
    for (int i = 0; i < PROBES; i++) {
      if (!bits.get(place(hash, i))) {
        return false;
      }
    }
    return true;
  }

  private static int place(long hash, int probe) {
    int step = (int) (hash >>> Integer.SIZE) | 1;
    return ((int) hash + probe * step) & (BITS - 1);
  }

  void clear() {
    bits = new BitSet();
  }

  byte[] snapshot() {
    return bits.toByteArray();
  }

  void restore(byte[] snapshot) {
    bits = BitSet.valueOf(snapshot);
  }
}
