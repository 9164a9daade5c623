package io.idlalayer.benchmarks.rows;

/** Something that looks rows up and trains them. One thread. */
interface RowsContender {
  String name();

  /**
   * Adds the rows of each output up.
   *
   * @param sums receives the sums; shape [outputs, dim], filled with zeros
   */
  void lookup(IdBatch batch, float[] sums);

  /**
   * Looks rows up, and updates each row once by the sum of the gradients of its uses.
   *
   * @param sums receives the sums; shape [outputs, dim], filled with zeros
   * @param gradients gradients of the outputs; shape [outputs, dim]
   */
  void train(IdBatch batch, float[] sums, float[] gradients);

  /**
   * Counters of reads.
   *
   * @param hits number of reads from the contender's cache
   * @param buffered number of reads from DRAM outside the cache: prefetched, or waiting to be
   *     written
   * @param all number of all reads; 0 if hits are not counted
   */
  record Reads(long hits, long buffered, long all) {
    static final Reads NONE = new Reads(0, 0, 0);

    Reads since(Reads before) {
      return new Reads(hits - before.hits, buffered - before.buffered, all - before.all);
    }

    double hitRate() {
      return (double) hits / all;
    }
  }

  Reads reads();

  /** Bytes of DRAM for rows. */
  long fastBytes();

  /** Rows in DRAM. */
  long residentRows();

  /** Rows of them that were read ahead, or are to be written. */
  default long bufferedRows() {
    return 0;
  }
}
