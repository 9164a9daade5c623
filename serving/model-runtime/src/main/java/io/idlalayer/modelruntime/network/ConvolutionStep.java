package io.idlalayer.modelruntime.network;

import java.util.Arrays;

/**
 * A convolution layer: filters over images. For several places of the window at a time, the pixels
 * under each weight are copied side by side. The innermost loop then runs over places, with one
 * index for all its arrays: only then does the JVM's compiler compute several numbers at a time
 * (decision 32). Sums are in double precision, because they have many terms.
 */
public final class ConvolutionStep implements NetworkStep {
  /** Largest number of values of windows that are copied at a time; a larger window goes alone. */
  private static final int NUMBERS_AT_ONCE = 1 << 16;

  private final Window window;
  private final int filters;

  /** Weights of the filters; shape [filters, channels, height, width]. */
  private final float[] weights;

  private final float[] bias;
  private final ActivationFunction activation;
  private final int paddedHeight;
  private final int paddedWidth;

  /** Number of weights of a filter. */
  private final int taps;

  /** Number of places of the window that are computed at a time. */
  private final int atOnce;

  /**
   * @param stored parameters of all layers; finite
   * @param from index of the layer's first parameter; the parameters are the bias, then the
   *     weights, of shape [filters, channels, height, width]
   */
  ConvolutionStep(
      Window window,
      int filters,
      boolean hasBias,
      ActivationFunction activation,
      float[] stored,
      int from) {
    this.window = window;
    this.filters = filters;
    this.activation = activation;
    bias = hasBias ? Arrays.copyOfRange(stored, from, from + filters) : new float[filters];
    int first = from + (hasBias ? filters : 0);
    taps = window.in().channels() * window.height() * window.width();
    weights = Arrays.copyOfRange(stored, first, first + filters * taps);
    paddedHeight = (int) window.paddedHeight();
    paddedWidth = (int) window.paddedWidth();
    atOnce = atOnce(window.places(), Math.max(1, NUMBERS_AT_ONCE / taps));
  }

  /**
   * Returns the number of places that are computed at a time: the places in equal parts, so that
   * few are computed twice.
   */
  private static int atOnce(int places, int most) {
    int parts = (places + most - 1) / most;
    return (places + parts - 1) / parts;
  }

  /**
   * Returns the window of the filters; no line or column of the image is left out at its beginning.
   */
  public Window window() {
    return window;
  }

  public int filters() {
    return filters;
  }

  /** Returns a copy of the weights; shape [filters, channels, height, width]. */
  public float[] weights() {
    return weights.clone();
  }

  /** Returns a copy of the bias, one number for each filter. */
  public float[] bias() {
    return bias.clone();
  }

  /** Returns the activation function, which is applied to each sum. */
  public ActivationFunction activation() {
    return activation;
  }

  @Override
  public int width() {
    return filters * window.places();
  }

  @Override
  public void run(float[][] sources, int rows, float[] out) {
    double[] padded = new double[window.in().channels() * paddedHeight * paddedWidth];
    double[][] met = new double[taps][atOnce];
    double[] sums = new double[atOnce];
    for (int row = 0; row < rows; row++) {
      pad(sources[0], row * window.in().numbers(), padded);
      for (int place = 0; place < window.places(); place += atOnce) {
        // Some of the last places are computed twice, so that each pass has equally many places.
        int first = Math.min(place, window.places() - atOnce);
        meet(padded, first, met);
        for (int filter = 0; filter < filters; filter++) {
          filter(met, filter, sums);
          int to = row * width() + filter * window.places() + first;
          for (int i = 0; i < atOnce; i++) {
            out[to + i] = (float) sums[i];
          }
        }
      }
    }
    activation.apply(out, rows, width());
  }

  /** Copies an image into an array with a border of zeros, which the copy does not touch. */
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

  /**
   * Copies the pixels under each weight of the window, at the places from {@code firstPlace} on.
   */
  private void meet(double[] padded, int firstPlace, double[][] met) {
    int tap = 0;
    for (int channel = 0; channel < window.in().channels(); channel++) {
      for (int y = 0; y < window.height(); y++) {
        for (int x = 0; x < window.width(); x++) {
          meet(padded, (channel * paddedHeight + y) * paddedWidth + x, firstPlace, met[tap++]);
        }
      }
    }
  }

  /**
   * Copies the pixels under one weight, at the places from {@code firstPlace} on.
   *
   * @param from index of the pixel under the weight at place 0
   */
  private void meet(double[] padded, int from, int firstPlace, double[] met) {
    int stride = window.strideWidth();
    int line = firstPlace / window.outWidth();
    int column = firstPlace % window.outWidth();
    int to = 0;
    while (to < atOnce) {
      int count = Math.min(window.outWidth() - column, atOnce - to);
      int at = from + line * window.strideHeight() * paddedWidth + column * stride;
      if (stride == 1) {
        System.arraycopy(padded, at, met, to, count);
      } else {
        for (int i = 0; i < count; i++) {
          met[to + i] = padded[at + i * stride];
        }
      }
      to += count;
      line++;
      column = 0;
    }
  }

  private void filter(double[][] met, int filter, double[] sums) {
    Arrays.fill(sums, bias[filter]);
    int at = filter * taps;
    int tap = 0;
    for (; tap + 4 <= taps; tap += 4) {
      addFour(met, tap, at + tap, sums);
    }
    for (; tap < taps; tap++) {
      double weight = weights[at + tap];
      double[] times = met[tap];
      for (int i = 0; i < sums.length; i++) {
        sums[i] += weight * times[i];
      }
    }
  }

  private void addFour(double[][] met, int tap, int at, double[] sums) {
    double a = weights[at];
    double b = weights[at + 1];
    double c = weights[at + 2];
    double d = weights[at + 3];
    double[] timesA = met[tap];
    double[] timesB = met[tap + 1];
    double[] timesC = met[tap + 2];
    double[] timesD = met[tap + 3];
    for (int i = 0; i < sums.length; i++) {
      sums[i] += a * timesA[i] + b * timesB[i] + c * timesC[i] + d * timesD[i];
    }
  }
}
