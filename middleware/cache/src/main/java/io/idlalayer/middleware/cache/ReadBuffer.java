package io.idlalayer.middleware.cache;

/**
 * Buffers hits until they are passed to the eviction policy, as Caffeine's read buffer does. The
 * buffer consists of a few rings, so that threads seldom write to the same cache lines. Readers
 * record a hit without a lock and without order; a ring is drained under the lock that guards the
 * policy.
 *
 * <p>Changing a policy's metadata is fast while only one thread changes it, and slow if different
 * threads change it alternately. So when threads drain full rings alternately, hits are sampled:
 * one of two, four, eight or sixteen hits is recorded, chosen at random, and counts for this number
 * of hits. A thread that uses the buffer alone records every hit, and each record is drained
 * exactly once.
 *
 * <p>If several threads use the buffer, a record can be lost: its ring was just drained, the ring
 * was full while another thread held the lock, or another thread overwrote the record. Up to a ring
 * of records can also be drained twice, if a thread that was about to write restores the old count.
 * Neither does harm. A record is one array element, so slot, reader and weight always belong
 * together. The owner of the policy checks each slot, because its block can be gone. Records only
 * influence the choice of victims; hits and misses are counted elsewhere.
 */
final class ReadBuffer {
  /** Largest number of hits for which one sampled record stands. */
  static final int WEIGHT_MAX = 16;

  /** Number of records that a ring holds. */
  static final int LENGTH = 64;

  /**
   * Number of rings drained by one thread in a row after which a larger share of the hits is
   * recorded again.
   */
  static final int ALONE_DRAINS = 8;

  private static final int RINGS = 8;

  /** Gap between rings, two cache lines, in longs. */
  private static final int GAP = 16;

  private static final int STRIDE = GAP + LENGTH;

  /**
   * Offset, from a ring's first record, of the number of its records. {@link #RANDOM} is the offset
   * of the state of its random numbers.
   */
  private static final int COUNT = -1;

  private static final int RANDOM = -2;

  /**
   * Index of the id of the thread that drained a full ring last. {@link #DRAINS_IN_A_ROW} is the
   * index of the number of its drains in a row.
   */
  private static final int DRAINER = 0;

  private static final int DRAINS_IN_A_ROW = 1;

  /** Thread id that no thread has. */
  private static final long NOBODY = 0;

  private static final int READER_BITS = 16;
  private static final int SLOT_BITS = 32;

  /**
   * The rings. Each ring has its counter and the state of its random numbers, and then its records.
   * A record packs the binary logarithm of the weight, the reader and the slot.
   */
  private final long[] rings = new long[RINGS * STRIDE + GAP];

  /** Binary logarithm of the number of hits for which one record stands now. */
  private int sampleShift;

  /** Receives the recorded hits when a ring is drained. */
  @FunctionalInterface
  interface HitListener {
    /**
     * Receives one record of a hit.
     *
     * @param weight number of hits for which the record stands
     */
    void hit(int slot, int reader, int weight);
  }

  ReadBuffer() {
    for (int ring = 0; ring < RINGS; ring++) {
      rings[start(ring) + RANDOM] = BlockTable.hash(ring, 1);
    }
  }

  /** Returns the index of the calling thread's ring. */
  static int own() {
    return (int) Thread.currentThread().getId() & (RINGS - 1);
  }

  private static int start(int ring) {
    return ring * STRIDE + GAP;
  }

  /** Returns the number of hits for which one record stands now. */
  int weight() {
    return 1 << sampleShift;
  }

  /**
   * Records a hit, or skips it if another record stands for it. Returns true if the ring is full
   * now; if a full ring is not drained, the next record begins the ring anew.
   *
   * @param reader 0 to 65,535
   */
  boolean add(int ring, int slot, int reader) {
    int start = start(ring);
    long log = sampleShift;
    if (log > 0 && (random(start) & ((1L << log) - 1)) != 0) {
      return false;
    }
    int at = (int) rings[start + COUNT] & (LENGTH - 1);
    rings[start + at] = (log << READER_BITS | reader) << SLOT_BITS | slot;
    rings[start + COUNT] = at + 1L;
    return at == LENGTH - 1;
  }

  /** Returns the next random number of a ring, by Marsaglia's xorshift. */
  private long random(int start) {
    long state = rings[start + RANDOM];
    state ^= state << 13;
    state ^= state >>> 7;
    state ^= state << 17;
    rings[start + RANDOM] = state;
    return state;
  }

  /**
   * Passes the records of a full ring to the listener and empties the ring. Under the lock that
   * guards the policy.
   */
  void drainFull(int ring, HitListener listener) {
    drainFull(ring, Thread.currentThread().getId(), listener);
  }

  /**
   * Drains a full ring as the thread with an id, and adapts the sampling to how often the draining
   * thread changes.
   */
  void drainFull(int ring, long thread, HitListener listener) {
    long before = rings[DRAINER];
    rings[DRAINER] = thread;
    if (before == thread || before == NOBODY) {
      sampleMore();
    } else {
      rings[DRAINS_IN_A_ROW] = 0;
      sampleFewer();
    }
    drain(ring, listener);
  }

  private void sampleMore() {
    int now = sampleShift;
    if (now > 0 && ++rings[DRAINS_IN_A_ROW] >= ALONE_DRAINS) {
      rings[DRAINS_IN_A_ROW] = 0;
      sampleShift = now - 1;
    }
  }

  /**
   * Halves the share of hits that are recorded, because a full ring could not be drained. If
   * several threads call this at once, one of the steps can be lost.
   */
  void sampleFewer() {
    int now = sampleShift;
    if (1 << now < WEIGHT_MAX) {
      sampleShift = now + 1;
    }
  }

  /**
   * Passes the records of all rings to the listener and empties the rings. Called under the lock
   * that guards the policy, by a thread that changes the policy anyway; therefore this call does
   * not change the sampling.
   */
  void drainAll(HitListener listener) {
    sampleMore();
    for (int ring = 0; ring < RINGS; ring++) {
      drain(ring, listener);
    }
  }

  private void drain(int ring, HitListener listener) {
    int start = start(ring);
    int end = start + (int) Math.min(LENGTH, rings[start + COUNT]);
    for (int at = start; at < end; at++) {
      long entry = rings[at];
      int who = (int) (entry >>> SLOT_BITS);
      listener.hit((int) entry, who & ((1 << READER_BITS) - 1), 1 << (who >>> READER_BITS));
    }
    rings[start + COUNT] = 0;
  }
}
