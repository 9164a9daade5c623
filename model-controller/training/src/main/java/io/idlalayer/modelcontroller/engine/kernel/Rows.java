package io.idlalayer.modelcontroller.engine.kernel;

/**
 * Rows that kernels copy to the heap together: a copy of few numbers costs as much as one of many.
 */
final class Rows {
  /** Two blocks of about so many floats fit into the first-level cache. */
  private static final int FLOATS = 256;

  private Rows() {}

  /**
   * Floats of a block of whole rows: at least one row, and no more than there are.
   *
   * @param length of all rows together
   * @param width of one, above 0
   */
  static int block(int length, int width) {
    return Math.max(width, Math.min(length, FLOATS / width * width));
  }
}
