package io.idlalayer.middleware.cache;

/**
 * Hits that nobody has told the policy yet: a few rings, so that threads seldom write to the same
 * cache lines. Written without a lock; notes may be lost or seen late, as they only guide a policy.
 */
final class HitNotes {
  private static final int RINGS = 4;
  private static final int LENGTH = 64;

  /** Room of two cache lines between rings, in longs. */
  private static final int GAP = 16;

  private static final int STRIDE = GAP + LENGTH;

  /** For each ring its count, then its notes: the reader in the upper half, slot plus 1 below. */
  private final long[] rings = new long[RINGS * STRIDE + GAP];

  /** Receives notes. */
  @FunctionalInterface
  interface Taker {
    void hit(int slot, int reader);
  }

  /** The ring of the calling thread. */
  static int own() {
    return (int) Thread.currentThread().getId() & (RINGS - 1);
  }

  /** Notes a hit. True if the ring is full now. */
  boolean add(int ring, int slot, int reader) {
    int start = start(ring);
    int at = (int) rings[start - 1] & (LENGTH - 1);
    rings[start - 1] = at + 1;
    rings[start + at] = (long) reader << 32 | (slot + 1);
    return at == LENGTH - 1;
  }

  /** Hands over and forgets what a ring holds. */
  void drain(int ring, Taker taker) {
    int start = start(ring);
    if (rings[start - 1] == 0) {
      return;
    }
    for (int at = start; at < start + LENGTH; at++) {
      long note = rings[at];
      rings[at] = 0;
      if (note != 0) {
        taker.hit((int) note - 1, (int) (note >>> 32));
      }
    }
    rings[start - 1] = 0;
  }

  /** Hands over and forgets what all rings hold. */
  void drainAll(Taker taker) {
    for (int ring = 0; ring < RINGS; ring++) {
      drain(ring, taker);
    }
  }
}
