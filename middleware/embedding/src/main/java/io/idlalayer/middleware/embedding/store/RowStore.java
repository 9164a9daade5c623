package io.idlalayer.middleware.embedding.store;

import java.util.Iterator;
import java.util.Map;

/**
 * The durable rows of one learner, a log of changes to rows that are newer in DRAM, and a log of
 * earlier rows. The writes between two checkpoints of an implementation become durable with the
 * second one, all or none. Belongs to one thread.
 */
public interface RowStore {
  /** Receives the rows that were found. */
  @FunctionalInterface
  interface RowReader {
    /**
     * @param i index of the key in the request
     */
    void row(int i, byte[] row);
  }

  /**
   * Reads many rows at once; the reader is not called for rows that do not exist.
   *
   * @param count number of keys to read, from the first on
   */
  void read(long[] rowKeys, int count, RowReader reader);

  /** Writes rows, new and changed ones. */
  void write(Map<Long, byte[]> rows);

  /** Deletes rows; rows that do not exist are skipped. */
  void remove(long[] rowKeys, int count);

  /**
   * All rows, by ascending keys as unsigned numbers. Rows may be read, written and deleted between
   * the calls of the iterator. Whether it sees these changes is not specified, and it may then skip
   * a few other rows.
   */
  Iterator<Map.Entry<Long, byte[]>> rows();

  /** Returns the log of changes to rows that are newer in DRAM. */
  RowLog changes();

  /** Returns the log of rows before they changed, as far as they may be needed again. */
  RowLog history();

  /** Writes blocks of the filter of ids, by their numbers. */
  void writeFilter(Map<Long, byte[]> blocks);

  /** All blocks of the filter that were written, in any order. */
  Iterator<Map.Entry<Long, byte[]>> filter();

  /** Deletes all blocks of the filter. */
  void clearFilter();
}
