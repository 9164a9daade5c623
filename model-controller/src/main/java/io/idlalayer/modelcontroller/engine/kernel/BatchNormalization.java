package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Normalizes each channel to mean 0 and variance 1 over the rows of a mini-batch, then scales and
 * shifts it (Ioffe 2015). Predictions use running means and variances. These are parameters that
 * nothing learns: their gradients are what is to be subtracted from them, as in Deeplearning4j.
 */
public final class BatchNormalization {
  private final Shape shape;
  private final Parameters parameters;
  private final double[] means;
  private final double[] deviations;

  /**
   * What is normalized.
   *
   * @param rows of a mini-batch
   * @param pixels of a channel; 1 for rows that are no images
   * @param epsilon added to variances
   * @param decay part of the running numbers that one mini-batch leaves
   * @param logarithmic whether the running deviation is stored, as its decimal logarithm, instead
   *     of the variance
   */
  public record Shape(
      int rows, int channels, int pixels, double epsilon, double decay, boolean logarithmic) {}

  /** One number for each channel. The gradients of the running numbers go with them. */
  public record Parameters(Tensor scale, Tensor shift, Tensor runningMean, Tensor runningSpread) {}

  public BatchNormalization(Shape shape, Parameters parameters) {
    this.shape = shape;
    this.parameters = parameters;
    means = new double[shape.channels()];
    deviations = new double[shape.channels()];
  }

  /** Where the numbers of a channel of a row begin. */
  private int start(int row, int channel) {
    return (row * shape.channels() + channel) * shape.pixels();
  }

  /** Normalizes with the running numbers. */
  public Kernel inference(Tensor inputs, Tensor outputs) {
    return () -> {
      float[] mean = parameters.runningMean().floats().toArray();
      float[] spread = parameters.runningSpread().floats().toArray();
      for (int channel = 0; channel < means.length; channel++) {
        means[channel] = mean[channel];
        deviations[channel] = Math.sqrt(variance(spread[channel]) + shape.epsilon());
      }
      normalize(inputs.floats().toArray(), outputs);
    };
  }

  private double variance(float spread) {
    return shape.logarithmic() ? Math.pow(10, 2.0 * spread) : spread;
  }

  /** Normalizes with the numbers of the mini-batch, and remembers them for the backward pass. */
  public Kernel forward(Tensor inputs, Tensor outputs) {
    return () -> {
      float[] x = inputs.floats().toArray();
      double count = (double) shape.rows() * shape.pixels();
      for (int channel = 0; channel < means.length; channel++) {
        double sum = 0;
        for (int row = 0; row < shape.rows(); row++) {
          sum += sum(x, start(row, channel));
        }
        double mean = sum / count;
        double squares = 0;
        for (int row = 0; row < shape.rows(); row++) {
          squares += squares(x, start(row, channel), mean);
        }
        means[channel] = mean;
        deviations[channel] = Math.sqrt(squares / count + shape.epsilon());
      }
      normalize(x, outputs);
    };
  }

  /**
   * Of the pixels of a channel. Four sums, so that an addition need not wait for the one before.
   */
  private double sum(float[] x, int from) {
    double first = 0;
    double second = 0;
    double third = 0;
    double fourth = 0;
    int until = from + shape.pixels();
    int i = from;
    for (; i + 3 < until; i += 4) {
      first += x[i];
      second += x[i + 1];
      third += x[i + 2];
      fourth += x[i + 3];
    }
    for (; i < until; i++) {
      first += x[i];
    }
    return first + second + third + fourth;
  }

  /** Of the distances of the pixels of a channel from the mean. */
  private double squares(float[] x, int from, double mean) {
    double first = 0;
    double second = 0;
    double third = 0;
    double fourth = 0;
    int until = from + shape.pixels();
    int i = from;
    for (; i + 3 < until; i += 4) {
      double one = x[i] - mean;
      double two = x[i + 1] - mean;
      double three = x[i + 2] - mean;
      double four = x[i + 3] - mean;
      first += one * one;
      second += two * two;
      third += three * three;
      fourth += four * four;
    }
    for (; i < until; i++) {
      double one = x[i] - mean;
      first += one * one;
    }
    return first + second + third + fourth;
  }

  /** Of the errors of a channel, each times the distance of its pixel from the mean. */
  private double products(float[] dy, float[] x, int from, double mean) {
    double first = 0;
    double second = 0;
    int until = from + shape.pixels();
    int i = from;
    for (; i + 1 < until; i += 2) {
      first += dy[i] * (x[i] - mean);
      second += dy[i + 1] * (x[i + 1] - mean);
    }
    for (; i < until; i++) {
      first += dy[i] * (x[i] - mean);
    }
    return first + second;
  }

  /** In floats from here on, which the compiler makes vector code of. */
  private void normalize(float[] values, Tensor outputs) {
    float[] scale = parameters.scale().floats().toArray();
    float[] shift = parameters.shift().floats().toArray();
    for (int row = 0; row < shape.rows(); row++) {
      for (int channel = 0; channel < means.length; channel++) {
        float mean = (float) means[channel];
        float factor = (float) (scale[channel] / deviations[channel]);
        float offset = shift[channel];
        int from = start(row, channel);
        for (int i = from; i < from + shape.pixels(); i++) {
          values[i] = (values[i] - mean) * factor + offset;
        }
      }
    }
    outputs.floats().put(0, values, 0, values.length);
  }

  /**
   * Gradients of all parameters, and errors of the inputs, after {@link #forward}.
   *
   * @param gradients of the parameters
   * @param inputErrors may be the errors themselves
   */
  public Kernel backward(Tensor inputs, Tensor errors, Parameters gradients, Tensor inputErrors) {
    return () -> {
      float[] x = inputs.floats().toArray();
      float[] dy = errors.floats().toArray();
      float[] scale = parameters.scale().floats().toArray();
      float[] scaleGradient = new float[means.length];
      float[] shiftGradient = new float[means.length];
      double count = (double) shape.rows() * shape.pixels();
      for (int channel = 0; channel < means.length; channel++) {
        double sum = 0;
        double product = 0;
        for (int row = 0; row < shape.rows(); row++) {
          int from = start(row, channel);
          sum += sum(dy, from);
          product += products(dy, x, from, means[channel]);
        }
        shiftGradient[channel] = (float) sum;
        scaleGradient[channel] = (float) (product / deviations[channel]);
        double factor = scale[channel] / deviations[channel];
        double variance = deviations[channel] * deviations[channel];
        float mean = (float) means[channel];
        float ofError = (float) factor;
        float ofDistance = (float) (-factor * product / (count * variance));
        float offset = (float) (-factor * sum / count);
        for (int row = 0; row < shape.rows(); row++) {
          int from = start(row, channel);
          for (int i = from; i < from + shape.pixels(); i++) {
            dy[i] = ofError * dy[i] + ofDistance * (x[i] - mean) + offset;
          }
        }
      }
      inputErrors.floats().put(0, dy, 0, dy.length);
      gradients.scale().floats().put(0, scaleGradient, 0, means.length);
      gradients.shift().floats().put(0, shiftGradient, 0, means.length);
      follow(gradients);
    };
  }

  /** Gradients of the running numbers: their way to those of the mini-batch. */
  private void follow(Parameters gradients) {
    float[] mean = parameters.runningMean().floats().toArray();
    float[] spread = parameters.runningSpread().floats().toArray();
    double rest = 1 - shape.decay();
    for (int channel = 0; channel < means.length; channel++) {
      mean[channel] = (float) ((mean[channel] - means[channel]) * rest);
      double old = variance(spread[channel]);
      double batch = deviations[channel] * deviations[channel] - shape.epsilon();
      double next = shape.decay() * old + rest * batch;
      spread[channel] =
          (float) (shape.logarithmic() ? Math.log10(old / next) / 2 : (old - batch) * rest);
    }
    gradients.runningMean().floats().put(0, mean, 0, means.length);
    gradients.runningSpread().floats().put(0, spread, 0, means.length);
  }
}
