package io.idlalayer.middleware.embedding.settings;

import java.io.Serializable;

/**
 * Says when an id gets a row.
 *
 * @param after number of occurrences in training that it takes, at least 1; with {@link
 *     Counter#BLOOM} at most {@link #BLOOM_MOST}
 * @param counter counts the occurrences of ids without a row; has no effect if {@code after} is 1
 */
public record Admission(int after, Counter counter, Bloom bloom) implements Serializable {
  /** The largest count of the Bloom filter. */
  public static final int BLOOM_MOST = 15;

  /** Every id gets a row at its first occurrence. */
  public static final Admission ALL = exact(1);

  /** Counts the occurrences of ids without a row. */
  public enum Counter {
    /** An entry in the store for each id. */
    EXACT,
    /** A counting Bloom filter in DRAM. */
    BLOOM,
    /** The filter for the first occurrence of an id, an entry in the store from the second on. */
    BOTH
  }

  /**
   * Size of the filter.
   *
   * @param expectedIds number of ids without a row, of all tables together, that the filter tells
   *     apart
   * @param falseAdmissions probability that the count of an id is too high, above 0 and below 1
   */
  public record Bloom(long expectedIds, double falseAdmissions) implements Serializable {
    /** Ten million ids, one of a hundred with too high a count. */
    public static final Bloom DEFAULT = new Bloom(10_000_000, 0.01);
  }

  /** Admits an id after a number of occurrences, which are counted exactly. */
  public static Admission exact(int after) {
    return new Admission(after, Counter.EXACT, Bloom.DEFAULT);
  }

  /** Returns whether a Bloom filter counts. */
  public boolean filters() {
    return after > 1 && counter != Counter.EXACT;
  }
}
