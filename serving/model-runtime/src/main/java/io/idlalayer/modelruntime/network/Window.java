package io.idlalayer.modelruntime.network;

/**
 * A window that goes over images.
 *
 * @param in the images
 * @param height lines of the window
 * @param width columns of the window
 * @param strideHeight lines from one place of the window to the next
 * @param strideWidth columns, likewise
 * @param top lines of zeros above the image; if it is below 0, so many lines of the image are left
 *     out
 * @param left columns of zeros left of the image, likewise
 * @param outHeight lines of places
 * @param outWidth columns of places
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
