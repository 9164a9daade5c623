package io.idlalayer.middleware.cache;

/**
 * Hits that nobody has told the policy yet: a few rings, so that threads seldom write to the same
 * cache lines. Written without a lock; notes may be lost or seen late, as they only guide a policy.
 *
 * <p>A policy's books are fast while one thread writes them and slow while threads take turns. So
 * when the rings are emptied by turns, hits are thinned: one of two, four, eight or sixteen is
 * noted, chosen at random, and counts for as many. A thread alone notes all.
 */
final class HitNotes {
  private static final int RINGS = 8;
  private static final int LENGTH = 64;

  /** Room of two cache lines between rings, in longs. */
  private static final int GAP = 16;

  private static final int STRIDE = GAP + LENGTH;

  /** Before a ring's notes: how many there are, and the state of its random numbers. */
  private static final int COUNT = -1;

  private static final int RANDOM = -2;

  /** In the gap before the first ring: the thread that took a full ring last, and calm in a row. */
  private static final int TAKER = 0;

  /** No thread's id. */
  private static final long NOBODY = 0;

  private static final int ROW = 1;
  private static final int ROW_CALM = 8;
  private static final int THINNING_MAX = 4;
  private static final int READER_BITS = 16;

  /**
   * For each ring its head, then its notes: binary logarithm of the weight, reader, slot.
   */
  private final long[] rings = new long[RINGS * STRIDE + GAP];

  /** Binary logarithm of the hits that one note stands for. */
  private int thinning;

  /** Receives notes. */
  @FunctionalInterface
  interface Taker {
    /**
     * @param weight how many hits this one stands for
     */
    void hit(int slot, int reader, int weight);
  }

  HitNotes() {
    for (int ring = 0; ring < RINGS; ring++) {
      rings[start(ring) + RANDOM] = SlotBooks.hash(ring, 1);
    }
  }

  /** The ring of the calling thread. */
  static int own() {
    return (int) Thread.currentThread().getId() & (RINGS - 1);
  }

  private static int start(int ring) {
    return ring * STRIDE + GAP;
  }

  /** Notes a hit, or lets another stand for it. True if the ring is full now. */
  boolean add(int ring, int slot, int reader) {
    int start = start(ring);
    int log = thinning;
    if (log > 0 && (random(start) & ((1 << log) - 1)) != 0) {
      return false;
    }
    int at = (int) rings[start + COUNT] & (LENGTH - 1);
    rings[start + at] = ((long) log << READER_BITS | reader) << 32 | slot;
    rings[start + COUNT] = at + 1L;
    return at == LENGTH - 1;
  }

  /** Marsaglia's xorshift. */
  private long random(int start) {
    long state = rings[start + RANDOM];
    state ^= state << 13;
    state ^= state >>> 7;
    state ^= state << 17;
    rings[start + RANDOM] = state;
    return state;
  }

  /** Hands over and forgets what a full ring holds. Under the lock that guards the policy. */
  void takeFull(int ring, Taker taker) {
    long thread = Thread.currentThread().getId();
    long before = rings[TAKER];
    rings[TAKER] = thread;
    if (before == thread || before == NOBODY) {
      calm();
    } else {
      rings[ROW] = 0;
      thinner();
    }
    take(ring, taker);
  }

  private void calm() {
    if (thinning > 0 && ++rings[ROW] >= ROW_CALM) {
      rings[ROW] = 0;
      thinning--;
    }
  }

  /** Says that a full ring could not be taken. */
  void thinner() {
    if (thinning < THINNING_MAX) {
      thinning++;
    }
  }

  /**
   * Hands over and forgets what all rings hold. Under the lock that guards the policy, by somebody
   * who changes the policy's books anyway: that is no reason to thin.
   */
  void takeAll(Taker taker) {
    calm();
    for (int ring = 0; ring < RINGS; ring++) {
      take(ring, taker);
    }
  }

  private void take(int ring, Taker taker) {
    int start = start(ring);
    long end = start + Math.min(LENGTH, rings[start + COUNT]);
    for (int at = start; at < end; at++) {
      int who = (int) (rings[at] >>> 32);
      taker.hit((int) rings[at], who & ((1 << READER_BITS) - 1), 1 << (who >>> READER_BITS));
    }
    rings[start + COUNT] = 0;
  }
}
