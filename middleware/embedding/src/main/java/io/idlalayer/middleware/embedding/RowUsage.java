package io.idlalayer.middleware.embedding;

import java.util.List;

/**
 * What the tables of a learner hold and did, all tables together.
 *
 * @param rows of ids that there are; those of missing and of unknown ids are not counted
 * @param hotRows of them in DRAM
 * @param fastBytes of DRAM that the tier has taken, with what is read ahead or to be written
 * @param slowBytes of the store: for each row, and for each count of an id without a row, its
 *     encoded bytes and {@value TableSizes#STATE_BYTES} of the state
 * @param counted ids without a row that have a count in the store
 * @param filterBytes of DRAM that the filter has, which counts other ids
 * @param hits reads of rows that were hot, since the learner was opened
 * @param buffered reads of rows that were not hot and in DRAM all the same: read ahead from the
 *     store, which was a miss then, or not written to it yet
 * @param misses reads of rows from the store
 * @param admitted ids that got a row
 * @param refused times that an id got no row because its table or the store was full
 * @param outOfRange times that an id of a new sample was none of the row numbers of its table of
 *     fixed size
 * @param expired rows that were deleted, by reason
 * @param flushed rows that were written to the store
 * @param unknown reads of ids that have no row
 * @param bufferedRows in DRAM, but not hot: read ahead, or to be written; a row may be both
 * @param tables the same of each table, in the order of the plan
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
   * @param unused because nobody used them
   * @param rare because their ids came seldom
   * @param small because their weights are almost zero
   * @param excess because there were more than settings allow, and nobody used them for longest
   */
  public record Expired(long unused, long rare, long small, long excess) {
    public long all() {
      return unused + rare + small + excess;
    }
  }

  /**
   * What one table holds and did; see {@link RowUsage} for the meaning of each number.
   *
   * @param expired rows that were deleted, for any reason
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

  /** Share of hits in all reads of rows that there are; NaN if there were none. */
  public double hitRate() {
    return (double) hits / (hits + buffered + misses);
  }
}
