package io.idlalayer.middleware.embedding.settings;

import java.io.Serializable;

/**
 * The setting that says when an id gets an embedding row.
 *
 * @param after number of occurrences in training that it takes, at least 1; with {@link
 *     Counter#BLOOM} at most {@link #BLOOM_MOST}
 * @param counter counts the occurrences of ids without a row; has no effect if {@code after} is 1
 */
public record Admission(int after, Counter counter, Bloom bloom) implements Serializable {
  /** Largest number of occurrences that the Bloom filter can count. */
  public static final int BLOOM_MOST = 15;

  /** Gives every id a row at its first occurrence. */
  public static final Admission ALL = exact(1);

  /** The ways to count the occurrences of ids that have no row. */
  public enum Counter {
    /** Counts exactly, with an entry in the store for each id. */
    EXACT,
    /** Counts approximately, with a counting Bloom filter in DRAM. */
    BLOOM,
    /**
     * Counts the first occurrence of an id in the filter, and the second and later ones in an entry
     * in the store.
     */
    BOTH
  }

  /**
   * Size of the Bloom filter that counts ids without a row.
   *
   * @param expectedIds number of ids without a row, of all tables together, that the filter tells
   *     apart
   * @param falseAdmissions probability that the count of an id is too high, above 0 and below 1
   */
  public record Bloom(long expectedIds, double falseAdmissions) implements Serializable {
    /** Size for ten million ids, of which one in a hundred may have too high a count. */
    public static final Bloom DEFAULT = new Bloom(10_000_000, 0.01);
  }

  /** Gives an id a row after a number of occurrences, which are counted exactly. */
  public static Admission exact(int after) {
    return new Admission(after, Counter.EXACT, Bloom.DEFAULT);
  }

  /** Returns whether a Bloom filter counts the occurrences of ids. */
  public boolean filters() {
    return after > 1 && counter != Counter.EXACT;
  }
}
