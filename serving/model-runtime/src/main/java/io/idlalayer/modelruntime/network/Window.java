package io.idlalayer.modelruntime.network;

/**
 * A window that moves over images.
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
  /** Places in an image. */
  public int places() {
    return outHeight * outWidth;
  }

  /** First line of the image, of a window at a place; below 0 if it begins above the image. */
  public int line(int place) {
    return place * strideHeight - top;
  }

  /** First column, likewise. */
  public int column(int place) {
    return place * strideWidth - left;
  }

  /** Lines that all windows together touch, with those of zeros. */
  public long paddedHeight() {
    return (outHeight - 1L) * strideHeight + height;
  }

  /** Columns, likewise. */
  public long paddedWidth() {
    return (outWidth - 1L) * strideWidth + width;
  }
}
