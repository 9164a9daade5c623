package io.idlalayer.middleware.embedding;

import java.io.Serializable;

/**
 * When an id gets a row.
 *
 * @param after occurrences in training, at least 1; with {@link Counter#BLOOM} at most {@link
 *     #BLOOM_MOST}
 * @param counter what counts the ids that have none; without effect if {@code after} is 1
 */
public record Admission(int after, Counter counter, Bloom bloom) implements Serializable {
  /** A counter of the Bloom filter counts so far. */
  public static final int BLOOM_MOST = 15;

  /** A row for every id, at once. */
  public static final Admission ALL = exact(1);

  /** What counts ids that have no row. */
  public enum Counter {
    /** An entry in the store for each id. */
    EXACT,
    /** A counting Bloom filter in DRAM. */
    BLOOM,
    /** The filter until an id has come twice, then an entry in the store. */
    BOTH
  }

  /**
   * Size of the filter.
   *
   * @param expectedIds that have no row and are to be told from each other, all tables together
   * @param falseAdmissions probability that an id counts for more than it came, above 0 and below 1
   */
  public record Bloom(long expectedIds, double falseAdmissions) implements Serializable {
    /** Ten million ids, one of a hundred wrong. */
    public static final Bloom DEFAULT = new Bloom(10_000_000, 0.01);
  }

  /** With exact counts. */
  public static Admission exact(int after) {
    return new Admission(after, Counter.EXACT, Bloom.DEFAULT);
  }

  /** Whether there is a filter. */
  boolean filters() {
    return after > 1 && counter != Counter.EXACT;
  }
}
