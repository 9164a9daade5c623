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

  /** Normalizes with the numbers of the mini-batch, and keeps them for the backward pass. */
  public Kernel forward(Tensor inputs, Tensor outputs) {
    return () -> {
      float[] x = inputs.floats().toArray();
      double count = (double) shape.rows() * shape.pixels();
      for (int channel = 0; channel < means.length; channel++) {
        double sum = 0;
        for (int row = 0; row < shape.rows(); row++) {
          int from = start(row, channel);
          for (int i = from; i < from + shape.pixels(); i++) {
            sum += x[i];
          }
        }
        double mean = sum / count;
        double squares = 0;
        for (int row = 0; row < shape.rows(); row++) {
          int from = start(row, channel);
          for (int i = from; i < from + shape.pixels(); i++) {
            squares += (x[i] - mean) * (x[i] - mean);
          }
        }
        means[channel] = mean;
        deviations[channel] = Math.sqrt(squares / count + shape.epsilon());
      }
      normalize(x, outputs);
    };
  }

  private void normalize(float[] values, Tensor outputs) {
    float[] scale = parameters.scale().floats().toArray();
    float[] shift = parameters.shift().floats().toArray();
    for (int row = 0; row < shape.rows(); row++) {
      for (int channel = 0; channel < means.length; channel++) {
        double factor = scale[channel] / deviations[channel];
        double offset = shift[channel] - means[channel] * factor;
        int from = start(row, channel);
        for (int i = from; i < from + shape.pixels(); i++) {
          values[i] = (float) (values[i] * factor + offset);
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
          for (int i = from; i < from + shape.pixels(); i++) {
            sum += dy[i];
            product += dy[i] * (x[i] - means[channel]) / deviations[channel];
          }
        }
        shiftGradient[channel] = (float) sum;
        scaleGradient[channel] = (float) product;
        double factor = scale[channel] / deviations[channel];
        for (int row = 0; row < shape.rows(); row++) {
          int from = start(row, channel);
          for (int i = from; i < from + shape.pixels(); i++) {
            double normal = (x[i] - means[channel]) / deviations[channel];
            dy[i] = (float) (factor * (dy[i] - sum / count - normal * product / count));
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
