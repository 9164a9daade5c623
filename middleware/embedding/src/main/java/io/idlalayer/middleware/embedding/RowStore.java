package io.idlalayer.middleware.embedding;

import java.util.Iterator;
import java.util.Map;

/**
 * The durable rows of one learner, a log of changes to rows that are newer in DRAM, and a log of
 * what rows were. Everything written between two checkpoints of whoever implements it is in the
 * second, or nothing of it. Belongs to one thread.
 */
public interface RowStore {
  /** Takes what was found. */
  @FunctionalInterface
  interface RowReader {
    /**
     * @param i index of the key in the request
     */
    void row(int i, byte[] row);
  }

  /**
   * Reads many rows at once; the reader is not called for those that are not there.
   *
   * @param count of the keys that count
   */
  void read(long[] rowKeys, int count, RowReader reader);

  /** Writes rows, new ones and others. */
  void write(Map<Long, byte[]> rows);

  /** Deletes rows; those that are not there are passed over. */
  void remove(long[] rowKeys, int count);

  /**
   * All rows, by ascending keys as unsigned numbers. The iterator may be used while rows are read,
   * written and deleted between its calls; whether it sees what changed meanwhile is left open, and
   * it may then pass over a few others.
   */
  Iterator<Map.Entry<Long, byte[]>> rows();

  /** Changes to rows that are newer in DRAM. */
  RowLog changes();

  /** What rows were before they changed, as far as that may be needed again. */
  RowLog history();

  /** Writes blocks of the filter of ids, by their numbers. */
  void writeFilter(Map<Long, byte[]> blocks);

  /** All blocks of the filter that were written, in any order. */
  Iterator<Map.Entry<Long, byte[]>> filter();

  /** Deletes all blocks of the filter. */
  void clearFilter();
}
