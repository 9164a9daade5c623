package io.idlalayer.modelruntime.network;

/**
 * The shape and positions of a window that moves over images.
 *
 * @param in shape of the images
 * @param height height of the window in lines
 * @param width width of the window in columns
 * @param strideHeight lines from one position of the window to the next
 * @param strideWidth columns from one position of the window to the next
 * @param top lines of zeros above the image; a negative number leaves lines of the image out
 * @param left columns of zeros left of the image; a negative number leaves columns of the image out
 * @param outHeight number of positions from top to bottom
 * @param outWidth number of positions from left to right
 */
public record Window(
    RowShape.Image in,
    int height,
    int width,
    int strideHeight,
    int strideWidth,
    int top,
    int left,
    int outHeight,
    int outWidth) {
  /** Returns the number of places of the window in an image. */
  public int places() {
    return outHeight * outWidth;
  }

  /**
   * Returns the first line of the image under the window at a vertical place; below 0 if the window
   * begins above the image.
   */
  public int line(int place) {
    return place * strideHeight - top;
  }

  /**
   * Returns the first column of the image under the window at a horizontal place; below 0 if the
   * window begins left of the image.
   */
  public int column(int place) {
    return place * strideWidth - left;
  }

  /** Returns the number of lines that the windows cover together, lines of zeros included. */
  public long paddedHeight() {
    return (outHeight - 1L) * strideHeight + height;
  }

  /** Returns the number of columns that the windows cover together, columns of zeros included. */
  public long paddedWidth() {
    return (outWidth - 1L) * strideWidth + width;
  }
}
