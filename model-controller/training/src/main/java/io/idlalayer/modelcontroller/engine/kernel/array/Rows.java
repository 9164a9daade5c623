package io.idlalayer.modelcontroller.engine.kernel.array;

/**
 * Computes how many rows kernels copy to the heap together, because copying a few numbers takes
 * about as long as copying many.
 */
public final class Rows {
  /** Number of floats of a block; two blocks of about this size fit into the first-level cache. */
  private static final int FLOATS = 256;

  private Rows() {}

  /**
   * Returns the number of floats of a block of whole rows: at least one row, and at most all rows.
   *
   * @param length number of floats of all rows together
   * @param width number of floats of a row, above 0
   */
  public static int block(int length, int width) {
    return Math.max(width, Math.min(length, FLOATS / width * width));
  }
}
