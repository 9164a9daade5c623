package io.idlalayer.middleware.embedding.store;

import java.util.Iterator;
import java.util.Map;

/**
 * Stores the embedding rows of one learner durably, with a log of changes to rows that are newer in
 * DRAM and a log of earlier rows. The writes between two checkpoints become durable with the second
 * checkpoint, all or none. Belongs to one thread.
 */
public interface RowStore {
  /** Receives the rows that a read has found. */
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

  /** Writes new and changed rows. */
  void write(Map<Long, byte[]> rows);

  /** Deletes rows; rows that do not exist are skipped. */
  void remove(long[] rowKeys, int count);

  /**
   * Returns all rows, by ascending keys as unsigned numbers. Rows may be read, written and deleted
   * between the calls of the iterator. Whether it sees these changes is not specified, and it may
   * then skip a few other rows.
   */
  Iterator<Map.Entry<Long, byte[]>> rows();

  /** Returns the log of changes to rows that are newer in DRAM. */
  RowLog changes();

  /**
   * Returns the log of rows as they were before they changed, for the updates to which the learner
   * may return.
   */
  RowLog history();

  /** Writes blocks of the Bloom filter that counts ids without a row, by the blocks' numbers. */
  void writeFilter(Map<Long, byte[]> blocks);

  /** Returns all blocks of the Bloom filter that were written, in any order. */
  Iterator<Map.Entry<Long, byte[]>> filter();

  /** Deletes all blocks of the Bloom filter. */
  void clearFilter();
}
