package io.idlalayer.modelruntime.network;

import java.util.Arrays;

/**
 * A layer of filters over images. Each image is copied once into one with its border of zeros; the
 * innermost loop then runs over a line of places, which compilers vectorise where the window moves
 * by one column.
 */
public final class ConvolutionStep implements Step {
  private final Window window;
  private final int filters;

  /** Shape [filters, channels, height, width]. */
  private final float[] weights;

  private final float[] bias;
  private final Activation activation;
  private final int paddedHeight;
  private final int paddedWidth;

  /**
   * @param stored parameters of all layers; finite
   * @param from where the layer's begin: the bias, then weights of shape [filters, channels,
   *     height, width]
   */
  ConvolutionStep(
      Window window,
      int filters,
      boolean hasBias,
      Activation activation,
      float[] stored,
      int from) {
    this.window = window;
    this.filters = filters;
    this.activation = activation;
    bias = hasBias ? Arrays.copyOfRange(stored, from, from + filters) : new float[filters];
    int first = from + (hasBias ? filters : 0);
    int count = filters * window.in().channels() * window.height() * window.width();
    weights = Arrays.copyOfRange(stored, first, first + count);
    paddedHeight = (int) window.paddedHeight();
    paddedWidth = (int) window.paddedWidth();
  }

  /** Where the filters go; no line or column of the image is left out at its beginning. */
  public Window window() {
    return window;
  }

  public int filters() {
    return filters;
  }

  /** Shape [filters, channels, height, width]; a copy. */
  public float[] weights() {
    return weights.clone();
  }

  /** One for each filter; a copy. */
  public float[] bias() {
    return bias.clone();
  }

  /** What is applied to the sums, number by number. */
  public Activation activation() {
    return activation;
  }

  @Override
  public int width() {
    return filters * window.places();
  }

  @Override
  public void run(float[][] sources, int rows, float[] out) {
    float[] padded = new float[window.in().channels() * paddedHeight * paddedWidth];
    for (int row = 0; row < rows; row++) {
      pad(sources[0], row * window.in().numbers(), padded);
      for (int filter = 0; filter < filters; filter++) {
        filter(padded, filter, out, row * width() + filter * window.places());
      }
    }
    activation.apply(out, rows, width());
  }

  /** The border stays as it is: zeros. */
  private void pad(float[] in, int from, float[] padded) {
    RowShape.Image image = window.in();
    int lines = Math.min(image.height(), paddedHeight - window.top());
    int columns = Math.min(image.width(), paddedWidth - window.left());
    for (int channel = 0; channel < image.channels(); channel++) {
      for (int line = 0; line < lines; line++) {
        System.arraycopy(
            in,
            from + (channel * image.height() + line) * image.width(),
            padded,
            (channel * paddedHeight + window.top() + line) * paddedWidth + window.left(),
            columns);
      }
    }
  }

  private void filter(float[] padded, int filter, float[] out, int to) {
    Arrays.fill(out, to, to + window.places(), bias[filter]);
    int at = filter * window.in().channels() * window.height() * window.width();
    for (int channel = 0; channel < window.in().channels(); channel++) {
      for (int y = 0; y < window.height(); y++) {
        int line = (channel * paddedHeight + y) * paddedWidth;
        for (int place = 0; place < window.outHeight(); place++) {
          line(padded, line, at, out, to + place * window.outWidth());
          line += window.strideHeight() * paddedWidth;
        }
        at += window.width();
      }
    }
  }

  /** Adds a line of the window's weights, times a line of the image, to a line of places. */
  private void line(float[] padded, int from, int at, float[] out, int to) {
    int x = 0;
    if (window.strideWidth() == 1) {
      for (; x + 4 <= window.width(); x += 4) {
        addFour(padded, from + x, at + x, out, to);
      }
    }
    int stride = window.strideWidth();
    for (; x < window.width(); x++) {
      float weight = weights[at + x];
      if (stride == 1) {
        for (int i = 0; i < window.outWidth(); i++) {
          out[to + i] += weight * padded[from + x + i];
        }
      } else {
        for (int i = 0; i < window.outWidth(); i++) {
          out[to + i] += weight * padded[from + x + i * stride];
        }
      }
    }
  }

  private void addFour(float[] padded, int from, int at, float[] out, int to) {
    float a = weights[at];
    float b = weights[at + 1];
    float c = weights[at + 2];
    float d = weights[at + 3];
    int count = window.outWidth();
    for (int i = 0; i < count; i++) {
      out[to + i] +=
          a * padded[from + i]
              + b * padded[from + i + 1]
              + c * padded[from + i + 2]
              + d * padded[from + i + 3];
    }
  }
}
