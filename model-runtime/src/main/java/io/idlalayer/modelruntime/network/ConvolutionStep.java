package io.idlalayer.modelruntime.network;

import java.util.Arrays;

/**
 * A layer of filters over images. Each image is copied once into one with its border of zeros; the
 * innermost loop then runs over a line of places, which compilers vectorise where the window moves
 * by one column. Sums are in double precision: they are long.
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
    double[] padded = new double[window.in().channels() * paddedHeight * paddedWidth];
    double[] sums = new double[window.places()];
    for (int row = 0; row < rows; row++) {
      pad(sources[0], row * window.in().numbers(), padded);
      for (int filter = 0; filter < filters; filter++) {
        filter(padded, filter, sums);
        int to = row * width() + filter * window.places();
        for (int i = 0; i < sums.length; i++) {
          out[to + i] = (float) sums[i];
        }
      }
    }
    activation.apply(out, rows, width());
  }

  /** The border stays as it is: zeros. */
  private void pad(float[] in, int from, double[] padded) {
    RowShape.Image image = window.in();
    int lines = Math.min(image.height(), paddedHeight - window.top());
    int columns = Math.min(image.width(), paddedWidth - window.left());
    for (int channel = 0; channel < image.channels(); channel++) {
      for (int line = 0; line < lines; line++) {
        int at = from + (channel * image.height() + line) * image.width();
        int to = (channel * paddedHeight + window.top() + line) * paddedWidth + window.left();
        for (int i = 0; i < columns; i++) {
          padded[to + i] = in[at + i];
        }
      }
    }
  }

  private void filter(double[] padded, int filter, double[] sums) {
    Arrays.fill(sums, bias[filter]);
    int at = filter * window.in().channels() * window.height() * window.width();
    for (int channel = 0; channel < window.in().channels(); channel++) {
      for (int y = 0; y < window.height(); y++) {
        int line = (channel * paddedHeight + y) * paddedWidth;
        for (int place = 0; place < window.outHeight(); place++) {
          line(padded, line, at, sums, place * window.outWidth());
          line += window.strideHeight() * paddedWidth;
        }
        at += window.width();
      }
    }
  }

  /** Adds a line of the window's weights, times a line of the image, to a line of places. */
  private void line(double[] padded, int from, int at, double[] sums, int to) {
    int x = 0;
    if (window.strideWidth() == 1) {
      for (; x + 4 <= window.width(); x += 4) {
        addFour(padded, from + x, at + x, sums, to);
      }
    }
    int stride = window.strideWidth();
    for (; x < window.width(); x++) {
      double weight = weights[at + x];
      if (stride == 1) {
        for (int i = 0; i < window.outWidth(); i++) {
          sums[to + i] += weight * padded[from + x + i];
        }
      } else {
        for (int i = 0; i < window.outWidth(); i++) {
          sums[to + i] += weight * padded[from + x + i * stride];
        }
      }
    }
  }

  private void addFour(double[] padded, int from, int at, double[] sums, int to) {
    double a = weights[at];
    double b = weights[at + 1];
    double c = weights[at + 2];
    double d = weights[at + 3];
    int count = window.outWidth();
    for (int i = 0; i < count; i++) {
      sums[to + i] +=
          a * padded[from + i]
              + b * padded[from + i + 1]
              + c * padded[from + i + 2]
              + d * padded[from + i + 3];
    }
  }
}
