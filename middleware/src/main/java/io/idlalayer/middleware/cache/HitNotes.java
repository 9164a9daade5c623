package io.idlalayer.middleware.cache;

/**
 * Hits that nobody has told the policy yet: a few rings, so that threads seldom write to the same
 * cache lines. Readers write without a lock and without order; a ring is taken under the lock that
 * guards the policy.
 *
 * <p>A policy's books are fast while one thread writes them and slow while threads take turns. So
 * when full rings are taken by turns, hits are thinned: one of two, four, eight or sixteen is
 * noted, chosen at random, and counts for as many. A thread alone notes all, and then every note is
 * handed over exactly once.
 *
 * <p>Beside others, a note may be lost (its ring was just taken, was full while another held the
 * lock, or a thread of the same ring wrote over it) and up to a ring of them may be handed over
 * twice (a thread that was about to write put the old count back). Both are safe: a note is one
 * array element, so that slot, reader and weight always belong together; a slot is checked by the
 * taker, as its block may have left; and notes only guide the choice of victims, whereas hits and
 * misses are counted elsewhere.
 */
final class HitNotes {
  /** One note for so many hits at most. */
  static final int WEIGHT_MAX = 16;

  /** Notes that a ring holds. */
  static final int LENGTH = 64;

  /** Rings taken by the same thread, one after the other, until hits are thinned less. */
  static final int ROW_CALM = 8;

  private static final int RINGS = 8;

  /** Room of two cache lines between rings, in longs. */
  private static final int GAP = 16;

  private static final int STRIDE = GAP + LENGTH;

  /** Before a ring's notes: how many there are, and the state of its random numbers. */
  private static final int COUNT = -1;

  private static final int RANDOM = -2;

  /** In the gap before the first ring: the thread that took a full ring last, and calm in a row. */
  private static final int TAKER = 0;

  private static final int ROW = 1;

  /** No thread's id. */
  private static final long NOBODY = 0;

  private static final int READER_BITS = 16;
  private static final int SLOT_BITS = 32;

  /** For each ring its head, then its notes: binary logarithm of the weight, reader, slot. */
  private final long[] rings = new long[RINGS * STRIDE + GAP];

  /** Binary logarithm of the hits that one note stands for. */
  private int thinning;

  /** Receives notes. */
  @FunctionalInterface
  interface Taker {
    /**
     * Receives one.
     *
     * @param weight how many hits it stands for
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

  /** How many hits one note stands for now. */
  int weight() {
    return 1 << thinning;
  }

  /**
   * Notes a hit, or lets another stand for it. True if the ring is full now; a full ring that is
   * not taken then begins anew with the next note.
   *
   * @param reader 0 to 65,535
   */
  boolean add(int ring, int slot, int reader) {
    int start = start(ring);
    long log = thinning;
    if (log > 0 && (random(start) & ((1L << log) - 1)) != 0) {
      return false;
    }
    int at = (int) rings[start + COUNT] & (LENGTH - 1);
    rings[start + at] = (log << READER_BITS | reader) << SLOT_BITS | slot;
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
    takeFull(ring, Thread.currentThread().getId(), taker);
  }

  /** The same for a thread of this id. */
  void takeFull(int ring, long thread, Taker taker) {
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
    int now = thinning;
    if (now > 0 && ++rings[ROW] >= ROW_CALM) {
      rings[ROW] = 0;
      thinning = now - 1;
    }
  }

  /** Says that a full ring could not be taken. Beside others a step may get lost. */
  void thinner() {
    int now = thinning;
    if (1 << now < WEIGHT_MAX) {
      thinning = now + 1;
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
    int end = start + (int) Math.min(LENGTH, rings[start + COUNT]);
    for (int at = start; at < end; at++) {
      long note = rings[at];
      int who = (int) (note >>> SLOT_BITS);
      taker.hit((int) note, who & ((1 << READER_BITS) - 1), 1 << (who >>> READER_BITS));
    }
    rings[start + COUNT] = 0;
  }
}
