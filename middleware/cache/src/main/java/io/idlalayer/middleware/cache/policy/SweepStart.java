package io.idlalayer.middleware.cache.policy;

/**
 * Recognizes a stream that begins with a sweep over more keys than the cache holds: hardly any
 * reference hits before the cache is full. A sweep may begin anew or turn round, so what was seen
 * first is worth keeping, and hits come in long runs. The stream is taken for something else as
 * soon as the hits of an LRU cache come scattered.
 */
final class SweepStart {
  /** Largest share of hits before the cache is full in a stream that is taken for a sweep. */
  private static final double MOST_HITS = 0.02;

  /** Number of references within which a hit continues the run of an earlier one. */
  static final int RUN_GAP = 2;

  private static final int LEAST_RUNS = 4;

  /** Least mean length of the runs of hits in a stream that is taken for a sweep. */
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

  /** Returns whether the stream is taken for a sweep; false while the cache fills. */
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
   * @param hit whether an LRU cache held the key
   * @param weight how many references this one stands for
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
