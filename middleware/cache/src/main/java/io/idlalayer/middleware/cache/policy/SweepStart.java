package io.idlalayer.middleware.cache.policy;

/**
 * Recognizes a stream that begins with a sweep over more keys than fit into the cache: hardly any
 * reference is a hit before the cache is full. Such a sweep can start again or turn round, so the
 * keys that came first are worth keeping. In a sweep, hits come in long runs; as soon as the hits
 * of an LRU cache are scattered instead, the stream no longer counts as a sweep.
 */
final class SweepStart {
  /** Largest share of hits before the cache is full in a stream that counts as a sweep. */
  private static final double MOST_HITS = 0.02;

  /** Number of references within which a hit continues the run of an earlier one. */
  static final int RUN_GAP = 2;

  private static final int LEAST_RUNS = 4;

  /** Least mean length of the runs of hits in a stream that counts as a sweep. */
  private static final int LONG_RUN = 8;

  private boolean filling = true;
  private boolean sweeping;
  private long references;
  private long hits;
  private long runs;
  private int sinceHit;

  /** Begins again with an empty cache. */
  void restart() {
    filling = true;
    sweeping = false;
    references = 0;
    hits = 0;
  }

  /** Returns whether the cache was not full yet. */
  boolean filling() {
    return filling;
  }

  /** Returns whether the stream counts as a sweep; false while the cache fills. */
  boolean sweeping() {
    return sweeping;
  }

  /** Records that the cache is full. */
  void filled() {
    filling = false;
    sweeping = hits < MOST_HITS * references;
    hits = 0;
    runs = 0;
    sinceHit = RUN_GAP;
  }

  /**
   * Records a reference.
   *
   * @param hit whether the key was resident in an LRU cache
   * @param weight number of references for which this one stands
   */
  void referenced(boolean hit, int weight) {
    if (filling) {
      references += weight;
      hits += hit ? weight : 0;
    } else if (sweeping) {
      sinceHit++;
      if (hit) {
        hits += weight;
        runs += sinceHit > RUN_GAP ? 1 : 0;
        sinceHit = 0;
        sweeping = runs < LEAST_RUNS || hits >= LONG_RUN * runs;
      }
    }
  }
}
