package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.hot.Tiers;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.settings.RowSettings;

/**
 * Upper bounds of the heap bytes that the embedding tables of one learner take, without the copies
 * of rows for a training or a prediction.
 *
 * @param rows hot rows and rows that are read ahead; or, if these are more, the bytes that a start
 *     needs: the log of rows that are newer than the store, and the rows in this log
 * @param toWrite rows that wait until they are written to the store
 * @param filter counts of ids without a row
 * @param history rows as they were before they changed; twice the bound of the history, because the
 *     history is cut only after each update
 */
public record RowMemory(long rows, long toWrite, long filter, long history) {
  private static final long MOST_TO_WRITE_BYTES = 64L << 20;
  private static final long MOST_LOG_BYTES = 64L << 20;

  /**
   * Bytes of heap that a restart takes for each byte of the log: the log itself, and its rows or
   * their keys, which take less than twice their bytes in the log.
   */
  private static final int START_SHARES = 3;

  /** Largest number of bytes of the history of rows between two updates. */
  static final long MOST_HISTORY_BYTES = 64L << 20;

  /**
   * Computes the bounds for tables with these settings. If their bytes of DRAM can change, the
   * numbers of hot rows are outside the heap.
   *
   * @param plan the tables
   * @param remembers whether the tables keep a history of rows
   */
  public static RowMemory of(RowSettings settings, EmbeddingPlan plan, boolean remembers) {
    return of(
        settings,
        settings.resizable() ? Tiers.mostHeapBytes(plan, settings) : settings.fastBytes(),
        remembers);
  }

  /**
   * Computes the bounds for tables with these settings, whose bytes of DRAM do not change.
   *
   * @param remembers whether the tables keep a history of rows
   */
  public static RowMemory of(RowSettings settings, boolean remembers) {
    return of(settings, settings.fastBytes(), remembers);
  }

  private static RowMemory of(RowSettings settings, long hotBytes, boolean remembers) {
    return new RowMemory(
        Math.max(hotBytes, START_SHARES * mostLogBytes(settings)),
        mostToWriteBytes(settings),
        OccurrenceFilter.mostBytes(settings.admission()),
        remembers ? 2 * MOST_HISTORY_BYTES : 0);
  }

  /** Returns the sum of all parts, in bytes. */
  public long bytes() {
    return rows + toWrite + filter + history;
  }

  /**
   * Returns the largest number of bytes of rows that wait to be written; one row may exceed it.
   * With more, all are written at once.
   */
  static long mostToWriteBytes(RowSettings settings) {
    return Math.min(MOST_TO_WRITE_BYTES, settings.fastBytes());
  }

  /**
   * Returns the largest size of the log in bytes. Its rows are written to the store before it is
   * larger, so that a start reads no more.
   */
  static long mostLogBytes(RowSettings settings) {
    return Math.min(MOST_LOG_BYTES, settings.fastBytes());
  }
}
