package io.idlalayer.modelcontroller.engine.kernel;

/**
 * The shape of a window that moves over images, which are stored channel by channel and row by row.
 *
 * @param channels number of channels of the input
 * @param height height of the input, in pixels
 * @param rows number of rows of the window
 * @param columns number of columns of the window
 * @param down stride to the next row of the output
 * @param right stride to the next column of the output
 * @param top rows of zeros above the image; {@code left} is the number of columns of zeros at the
 *     left
 * @param outputHeight rows of the output
 */
public record KernelWindow(
    int channels,
    int height,
    int width,
    int rows,
    int columns,
    int down,
    int right,
    int top,
    int left,
    int outputHeight,
    int outputWidth) {

  /** Returns the number of pixels of one channel of the output. */
  public int outputPixels() {
    return outputHeight * outputWidth;
  }

  /** Returns the number of rows of zeros below the image that the last row of the output needs. */
  public int bottom() {
    return Math.max(0, (outputHeight - 1) * down + rows - height - top);
  }

  /**
   * Returns the number of columns of zeros at the right of the image that the last column of the
   * output needs.
   */
  public int rightPadding() {
    return Math.max(0, (outputWidth - 1) * right + columns - width - left);
  }
}
