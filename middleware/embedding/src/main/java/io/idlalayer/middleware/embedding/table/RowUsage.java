package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.store.StoreTraffic;
import java.util.Comparator;
import java.util.List;

/**
 * Rows of a model's embedding tables. Counters (the components after {@code filterBytes}) begin
 * when the learner is opened.
 *
 * @param rows number of rows of known ids; the rows for missing ids and unknown ids are not counted
 * @param hotRows number of rows in DRAM
 * @param fastBytes DRAM bytes that the hot rows take
 * @param slowBytes bytes of the store that rows and counts of ids take, as the limit counts them
 * @param counted number of ids without a row whose occurrences the store counts
 * @param filterBytes DRAM bytes of the filter that counts the other ids
 * @param hits reads of hot rows
 * @param buffered reads of rows that were in DRAM but not hot: prefetched from the store, or not
 *     written to it yet
 * @param misses reads of rows from the store
 * @param unknown reads of ids without a row
 * @param admitted number of ids that got a row
 * @param refused how often an id got no row because its table or the store was full
 * @param outOfRange how often an id of a new sample was not a row number of its table of fixed size
 * @param expired number of deleted rows, by reason
 * @param flushed number of rows written to the store
 * @param store traffic with the store: rows, counts, and changes to rows in DRAM
 * @param byTable the tables with the most misses, at most {@value #MOST_TABLES}
 */
public record RowUsage(
    long rows,
    long hotRows,
    long fastBytes,
    long slowBytes,
    long counted,
    long filterBytes,
    long hits,
    long buffered,
    long misses,
    long unknown,
    long admitted,
    long refused,
    long outOfRange,
    Expired expired,
    long flushed,
    StoreTraffic store,
    List<OfTable> byTable) {
  /** Most tables that {@code byTable} lists. */
  public static final int MOST_TABLES = 32;

  public RowUsage {
    // Events of older jobs have neither.
    store = store == null ? StoreTraffic.NONE : store;
    byTable = byTable == null ? List.of() : mostMissed(byTable);
  }

  private static List<OfTable> mostMissed(List<OfTable> all) {
    return all.stream()
        .sorted(
            Comparator.comparingLong(OfTable::misses)
                .thenComparingLong(OfTable::rows)
                .reversed()
                .thenComparing(OfTable::name))
        .limit(MOST_TABLES)
        .toList();
  }

  /** Returns the share of all row reads that found the row hot; NaN without reads. */
  public double hitRate() {
    return (double) hits / (hits + buffered + misses);
  }

  /**
   * Rows of embedding tables that were deleted.
   *
   * @param unused rows that were not used for too long
   * @param rare rows whose ids occurred too rarely
   * @param small rows whose weights were almost zero
   * @param excess rows above the limits of the settings, unused for the longest time
   */
  public record Expired(long unused, long rare, long small, long excess) {
    /** No rows. */
    public static final Expired NONE = new Expired(0, 0, 0, 0);

    /** Adds the rows that another learner deleted. */
    public Expired plus(Expired other) {
      return new Expired(
          unused + other.unused, rare + other.rare, small + other.small, excess + other.excess);
    }
  }

  /**
   * Size and counters of one table; see {@link RowUsage} for the meaning of each number.
   *
   * @param expired number of deleted rows, for any reason
   */
  public record OfTable(
      String name,
      long rows,
      long hotRows,
      long hits,
      long buffered,
      long misses,
      long unknown,
      long admitted,
      long refused,
      long expired) {
    /** Adds the numbers of the table of another learner. */
    public OfTable plus(OfTable other) {
      return new OfTable(
          name,
          rows + other.rows,
          hotRows + other.hotRows,
          hits + other.hits,
          buffered + other.buffered,
          misses + other.misses,
          unknown + other.unknown,
          admitted + other.admitted,
          refused + other.refused,
          expired + other.expired);
    }
  }
}
