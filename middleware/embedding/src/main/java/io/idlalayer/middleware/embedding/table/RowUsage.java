package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.settings.Expiry;
import java.util.List;

/**
 * Size and counters of a learner's tables, all tables together.
 *
 * @param rows number of rows of known ids; the rows for missing ids and unknown ids are not counted
 * @param hotRows number of rows that are hot, that is, stay in DRAM
 * @param fastBytes bytes of DRAM of hot rows, of rows read ahead and of rows to be written
 * @param slowBytes bytes of the store: for each row, and for each count of an id without a row, its
 *     encoded bytes and {@value TableSizes#STATE_BYTES} for the state
 * @param counted ids without a row that have a count in the store
 * @param filterBytes bytes of DRAM of the filter, which counts other ids
 * @param hits reads of rows that were hot, since the learner was opened
 * @param buffered reads of rows that were in DRAM but not hot: prefetched from the store, which
 *     counted as a miss, or not written to it yet
 * @param misses reads of rows from the store
 * @param admitted number of ids that got a row
 * @param refused how often an id got no row because its table or the store was full
 * @param outOfRange how often an id of a new sample was not one of the row numbers of its table of
 *     fixed size
 * @param expired number of deleted rows, by reason
 * @param flushed number of rows written to the store
 * @param unknown reads of ids that have no row
 * @param bufferedRows number of rows in DRAM that are not hot: prefetched, or waiting to be
 *     written; a row may be both
 * @param tables the numbers of each single table, in the order of the plan
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
    long admitted,
    long refused,
    long outOfRange,
    Expired expired,
    long flushed,
    long unknown,
    long bufferedRows,
    List<OfTable> tables) {
  public RowUsage {
    tables = List.copyOf(tables);
  }

  /**
   * Rows that were deleted, see {@link Expiry}.
   *
   * @param unused rows that were not used for too long
   * @param rare rows whose ids occurred too rarely
   * @param small rows whose weights were almost zero
   * @param excess rows above the limits of the settings, unused for the longest time
   */
  public record Expired(long unused, long rare, long small, long excess) {
    public long all() {
      return unused + rare + small + excess;
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
      long expired) {}

  /** Share of hits in all reads of rows; NaN without reads. */
  public double hitRate() {
    return (double) hits / (hits + buffered + misses);
  }
}
