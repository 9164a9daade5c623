package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.store.StoreTraffic;
import java.util.Comparator;
import java.util.List;

/**
 * Rows of embedding tables; all behind {@code filterBytes} since the learner was opened.
 *
 * @param rows of ids that there are; those of missing and of unknown ids are not counted
 * @param hotRows in DRAM
 * @param fastBytes that these take
 * @param slowBytes of the store that rows and counts of ids take, by definition of the cap
 * @param counted ids without a row that have a count in the store
 * @param filterBytes of DRAM that the filter of other ids takes
 * @param hits reads of hot rows
 * @param buffered reads of rows that were not hot and in DRAM all the same: read ahead from the
 *     store, or not written to it yet
 * @param misses reads of rows from the store
 * @param unknown ids without a row that were asked for
 * @param admitted ids that got a row
 * @param refused times that an id got no row because its table or the store was full
 * @param outOfRange times that an id of a new sample was none of the row numbers of its table of
 *     fixed size
 * @param expired rows deleted, by reason
 * @param flushed rows written to the store
 * @param store what was read and written there: rows, counts, and changes to rows in DRAM
 * @param byTable the tables with most misses, at most {@value #MOST_TABLES}
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

  /** Share of hits in all reads of rows; NaN without reads. */
  public double hitRate() {
    return (double) hits / (hits + buffered + misses);
  }

  /**
   * Rows of embedding tables that were deleted.
   *
   * @param unused because nobody used them for long
   * @param rare because their ids came seldom
   * @param small because their weights are almost zero
   * @param excess because settings allow fewer than there were
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
   * One table; its numbers mean what they mean in {@link RowUsage}.
   *
   * @param expired rows deleted, for any reason
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
