package io.idlalayer.modelruntime.network;

/**
 * Pooling of images: reduces the pixels of a window to one number, at each place of the window and
 * in each channel. Pixels beside the image do not count.
 *
 * @param kind what the number is
 */
public record PoolingStep(Window window, Kind kind) implements NetworkStep {
  /** The reduction of the pixels in a window. */
  public enum Kind {
    MAX,
    /** Mean of the window's pixels that are inside the image. */
    MEAN,
    /** Mean of all pixels of the window; those outside the image are zeros. */
    MEAN_WITH_BORDER
  }

  @Override
  public int width() {
    return window.in().channels() * window.places();
  }

  @Override
  public void run(float[][] sources, int rows, float[] out) {
    int to = 0;
    for (int channel = 0; channel < rows * window.in().channels(); channel++) {
      int from = channel * window.in().pixels();
      for (int line = 0; line < window.outHeight(); line++) {
        for (int column = 0; column < window.outWidth(); column++) {
          out[to++] = place(sources[0], from, window.line(line), window.column(column));
        }
      }
    }
  }

  private float place(float[] in, int from, int top, int left) {
    int lastLine = Math.min(window.in().height(), top + window.height());
    int lastColumn = Math.min(window.in().width(), left + window.width());
    int firstLine = Math.max(0, top);
    int firstColumn = Math.max(0, left);
    boolean max = kind == Kind.MAX;
    double value = max ? Double.NEGATIVE_INFINITY : 0;
    for (int line = firstLine; line < lastLine; line++) {
      int at = from + line * window.in().width();
      for (int column = firstColumn; column < lastColumn; column++) {
        value = max ? Math.max(value, in[at + column]) : value + in[at + column];
      }
    }
    return switch (kind) {
      case MAX -> (float) value;
      case MEAN -> (float) (value / ((lastLine - firstLine) * (lastColumn - firstColumn)));
      case MEAN_WITH_BORDER -> (float) (value / (window.height() * window.width()));
    };
  }
}
