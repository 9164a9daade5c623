package io.idlalayer.benchmarks.rows;

/** Something that looks rows up and trains them. One thread. */
interface RowsContender {
  String name();

  /**
   * Adds the rows of each output up.
   *
   * @param sums of shape [outputs, dim], zeros before
   */
  void lookup(IdBatch batch, float[] sums);

  /**
   * Looks rows up and updates each once, by the sum of the gradients of its uses.
   *
   * @param sums of shape [outputs, dim], zeros before
   * @param gradients of shape [outputs, dim]
   */
  void train(IdBatch batch, float[] sums, float[] gradients);

  /**
   * Reads so far.
   *
   * @param hits in the cache of the contender
   * @param buffered found in DRAM elsewhere: read ahead, or to be written
   * @param all of them; 0 if hits are no question
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
