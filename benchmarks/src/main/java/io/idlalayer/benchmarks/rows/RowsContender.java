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

  /** Hits of all reads so far; NaN if that is no question. */
  double hitRate();

  /** Bytes of DRAM for rows. */
  long fastBytes();

  /** Rows in DRAM. */
  long residentRows();
}
