package io.idlalayer.jobs.learner.forget;

import java.util.BitSet;

/**
 * The events whose first trainings have left the log, by their hashes, in a Bloom filter of at most
 * 2 MiB. The filter never misses one of these events. It reports other events by mistake: about one
 * in a hundred when it holds 1.6 million events, one in ten at 3.5 million, and nearly all when it
 * holds many more. Confined to one thread.
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
