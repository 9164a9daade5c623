package io.idlalayer.middleware.embedding;

/**
 * Bytes of DRAM, on the heap, that the tables of one learner take at most. Not in it are the copies
 * of rows that a training or a prediction has.
 *
 * @param rows hot rows and rows read ahead; at a start instead, if that is more, the log of rows
 *     that are newer than the store, and these rows
 * @param toWrite rows that wait until they are written to the store
 * @param filter counts of ids without a row
 * @param history what rows were before they changed; twice its bound, as it is cut after each
 *     update
 */
public record RowMemory(long rows, long toWrite, long filter, long history) {
  private static final long MOST_TO_WRITE_BYTES = 64L << 20;
  private static final long MOST_LOG_BYTES = 64L << 20;

  /**
   * Bytes that a start has for each byte of the log: the log, and the rows in it or their keys,
   * which take less than twice what they have there.
   */
  private static final int START_SHARES = 3;

  /** Bound of what is remembered of rows between two updates. */
  static final long MOST_HISTORY_BYTES = 64L << 20;

  /**
   * The memory of tables.
   *
   * @param remembers whether it is remembered what rows were
   */
  public static RowMemory of(RowSettings settings, boolean remembers) {
    return new RowMemory(
        Math.max(settings.fastBytes(), START_SHARES * mostLogBytes(settings)),
        mostToWriteBytes(settings),
        OccurrenceFilter.mostBytes(settings.admission()),
        remembers ? 2 * MOST_HISTORY_BYTES : 0);
  }

  /** All of them. */
  public long bytes() {
    return rows + toWrite + filter + history;
  }

  /**
   * Rows that wait have no more bytes, but for one of them; with more, they are written at once.
   */
  static long mostToWriteBytes(RowSettings settings) {
    return Math.min(MOST_TO_WRITE_BYTES, settings.fastBytes());
  }

  /** The log is written to the store before it is larger, so that a start reads no more. */
  static long mostLogBytes(RowSettings settings) {
    return Math.min(MOST_LOG_BYTES, settings.fastBytes());
  }
}
