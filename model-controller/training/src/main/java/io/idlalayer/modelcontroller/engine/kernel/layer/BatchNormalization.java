package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Normalizes each channel to mean 0 and variance 1 over the rows of a mini-batch, then scales and
 * shifts it (Ioffe 2015). Predictions use running means and variances. The running means and
 * variances are parameters that are not learned: their gradients are the amounts to subtract from
 * them, as in Deeplearning4j.
 *
 * <p>The kernel processes all rows of a few channels before the next channels, so that data that is
 * read again is still in a cache. The kernel first sums all rows at each pixel, in floats and in
 * loops that the compiler vectorizes, and then the pixels of a channel, in doubles.
 */
public final class BatchNormalization {
  private final Shape shape;
  private final Parameters parameters;
  private final List<ChannelBlock> blocks;
  private final double[] means;
  private final double[] deviations;

  /**
   * The shape and parameters of a batch normalization.
   *
   * @param rows number of rows of a mini-batch
   * @param pixels number of pixels of a channel; 1 for rows that are not images
   * @param epsilon added to variances
   * @param decay factor by which each mini-batch multiplies the old running means and variances
   * @param logarithmic whether the decimal logarithm of the running standard deviation is stored
   *     instead of the running variance
   */
  public record Shape(
      int rows, int channels, int pixels, double epsilon, double decay, boolean logarithmic) {
    /** Returns the number of values of a channel in a mini-batch. */
    double count() {
      return (double) rows * pixels;
    }
  }

  /**
   * The parameters, or their gradients: one number for each channel, also for the running mean and
   * spread.
   */
  public record Parameters(Tensor scale, Tensor shift, Tensor runningMean, Tensor runningSpread) {}

  /** Arrays that one run reuses for one block of channels after another. */
  private final class Scratch {
    final float[] values = new float[blocks.get(0).floats()];
    final float[] sums = new float[values.length];
    final float[] centers = new float[values.length];
    final float[] factors = new float[values.length];
    final float[] offsets = new float[values.length];
  }

  public BatchNormalization(Shape shape, Parameters parameters) {
    this.shape = shape;
    this.parameters = parameters;
    blocks = ChannelBlock.all(shape.channels(), shape.pixels());
    means = new double[shape.channels()];
    deviations = new double[shape.channels()];
  }

  /** Returns the kernel that normalizes with the running means and variances, for predictions. */
  public TapeKernel inference(Tensor inputs, Tensor outputs) {
    return () -> {
      float[] mean = parameters.runningMean().floats().toArray();
      float[] spread = parameters.runningSpread().floats().toArray();
      for (int channel = 0; channel < means.length; channel++) {
        means[channel] = mean[channel];
        deviations[channel] = Math.sqrt(variance(spread[channel]) + shape.epsilon());
      }
      normalize(inputs.floats(), outputs.floats(), false);
    };
  }

  private double variance(float spread) {
    return shape.logarithmic() ? Math.pow(10, 2.0 * spread) : spread;
  }

  /**
   * Returns the kernel that normalizes with the means and variances of the mini-batch, and keeps
   * them for the backward pass.
   */
  public RepeatableKernel forward(Tensor inputs, Tensor outputs) {
    return () -> normalize(inputs.floats(), outputs.floats(), true);
  }

  /**
   * Normalizes all rows, one block of channels after another.
   *
   * @param find whether means and deviations are computed first
   */
  private void normalize(Floats inputs, Floats outputs, boolean find) {
    double[] shift = doubles(parameters.shift());
    double[] factor = doubles(parameters.scale());
    Scratch scratch = new Scratch();
    for (ChannelBlock block : blocks) {
      if (find) {
        findMeans(block, inputs, scratch);
        findDeviations(block, inputs, scratch);
      }
      for (int channel = block.first(); channel < block.end(); channel++) {
        factor[channel] /= deviations[channel];
      }
      block.spread(means, scratch.centers);
      block.spread(factor, scratch.factors);
      block.spread(shift, scratch.offsets);
      for (int row = 0; row < shape.rows(); row++) {
        block.get(inputs, row, scratch.values);
        normalize(scratch.values, scratch.centers, scratch.factors, scratch.offsets);
        block.put(scratch.values, outputs, row);
      }
    }
  }

  private static double[] doubles(Tensor of) {
    float[] floats = of.floats().toArray();
    double[] doubles = new double[floats.length];
    for (int i = 0; i < floats.length; i++) {
      doubles[i] = floats[i];
    }
    return doubles;
  }

  private void findMeans(ChannelBlock block, Floats inputs, Scratch scratch) {
    // Distances from the first row are used, because sums of large, nearly equal numbers would lose
    // precision.
    block.get(inputs, 0, scratch.centers);
    Arrays.fill(scratch.sums, 0);
    for (int row = 1; row < shape.rows(); row++) {
      block.get(inputs, row, scratch.values);
      addDistances(scratch.values, scratch.centers, scratch.sums);
    }
    double[] firstRow = new double[means.length];
    block.total(scratch.centers, firstRow);
    block.total(scratch.sums, means);
    for (int channel = block.first(); channel < block.end(); channel++) {
      means[channel] = firstRow[channel] / shape.pixels() + means[channel] / shape.count();
    }
  }

  private void findDeviations(ChannelBlock block, Floats inputs, Scratch scratch) {
    block.spread(means, scratch.centers);
    Arrays.fill(scratch.sums, 0);
    for (int row = 0; row < shape.rows(); row++) {
      block.get(inputs, row, scratch.values);
      addSquares(scratch.values, scratch.centers, scratch.sums);
    }
    block.total(scratch.sums, deviations);
    for (int channel = block.first(); channel < block.end(); channel++) {
      deviations[channel] = Math.sqrt(deviations[channel] / shape.count() + shape.epsilon());
    }
  }

  private static void add(float[] values, float[] sums) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += values[i];
    }
  }

  private static void addDistances(float[] values, float[] centers, float[] sums) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += values[i] - centers[i];
    }
  }

  private static void addSquares(float[] values, float[] centers, float[] sums) {
    for (int i = 0; i < sums.length; i++) {
      float distance = values[i] - centers[i];
      sums[i] += distance * distance;
    }
  }

  private static void addProducts(
      float[] errors, float[] values, float[] centers, float[] products) {
    for (int i = 0; i < products.length; i++) {
      products[i] += errors[i] * (values[i] - centers[i]);
    }
  }

  private static void addProducts(float[] errors, float[] factors, float[] sums) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += errors[i] * factors[i];
    }
  }

  private static void normalize(float[] values, float[] centers, float[] factors, float[] offsets) {
    for (int i = 0; i < values.length; i++) {
      values[i] = (values[i] - centers[i]) * factors[i] + offsets[i];
    }
  }

  /**
   * Returns the kernel, run after {@link #forward}, that computes the gradients of all parameters
   * and the errors of the inputs.
   *
   * @param gradients gradients of the parameters
   * @param inputErrors receives the errors of the inputs; can be the tensor of the errors
   */
  public TapeKernel backward(
      Tensor inputs, Tensor errors, Parameters gradients, Tensor inputErrors) {
    return () -> {
      BackwardRun run = new BackwardRun(inputs.floats(), errors.floats(), inputErrors.floats());
      for (ChannelBlock block : blocks) {
        run.sum(block);
        run.propagate(block);
      }
      run.writeGradients(gradients);
      follow(gradients);
    };
  }

  /** Computes the backward pass of one run. */
  private final class BackwardRun {
    private final Floats inputs;
    private final Floats errors;
    private final Floats inputErrors;
    private final double[] scale = doubles(parameters.scale());
    private final Scratch scratch = new Scratch();
    private final float[] dy = new float[scratch.values.length];
    private final float[] products = new float[scratch.values.length];

    /** For each channel, the sum of its errors. */
    private final double[] errorSums = new double[means.length];

    /** For each channel, the sum of each error times the distance of its input from the mean. */
    private final double[] productSums = new double[means.length];

    private final double[] ofError = new double[means.length];
    private final double[] ofDistance = new double[means.length];
    private final double[] offset = new double[means.length];

    BackwardRun(Floats inputs, Floats errors, Floats inputErrors) {
      this.inputs = inputs;
      this.errors = errors;
      this.inputErrors = inputErrors;
    }

    void sum(ChannelBlock block) {
      block.spread(means, scratch.centers);
      Arrays.fill(scratch.sums, 0);
      Arrays.fill(products, 0);
      for (int row = 0; row < shape.rows(); row++) {
        block.get(inputs, row, scratch.values);
        block.get(errors, row, dy);
        add(dy, scratch.sums);
        addProducts(dy, scratch.values, scratch.centers, products);
      }
      block.total(scratch.sums, errorSums);
      block.total(products, productSums);
    }

    /** Writes the errors of the inputs of a block; called after {@link #sum}. */
    void propagate(ChannelBlock block) {
      for (int channel = block.first(); channel < block.end(); channel++) {
        double factor = scale[channel] / deviations[channel];
        double variance = deviations[channel] * deviations[channel];
        ofError[channel] = factor;
        ofDistance[channel] = -factor * productSums[channel] / (shape.count() * variance);
        offset[channel] = -factor * errorSums[channel] / shape.count();
      }
      float[] errorFactors = scratch.sums;
      block.spread(ofError, errorFactors);
      block.spread(ofDistance, scratch.factors);
      block.spread(offset, scratch.offsets);
      for (int row = 0; row < shape.rows(); row++) {
        block.get(inputs, row, scratch.values);
        block.get(errors, row, dy);
        normalize(scratch.values, scratch.centers, scratch.factors, scratch.offsets);
        addProducts(dy, errorFactors, scratch.values);
        block.put(scratch.values, inputErrors, row);
      }
    }

    void writeGradients(Parameters gradients) {
      float[] scaleGradient = new float[means.length];
      float[] shiftGradient = new float[means.length];
      for (int channel = 0; channel < means.length; channel++) {
        scaleGradient[channel] = (float) (productSums[channel] / deviations[channel]);
        shiftGradient[channel] = (float) errorSums[channel];
      }
      gradients.scale().floats().put(0, scaleGradient, 0, means.length);
      gradients.shift().floats().put(0, shiftGradient, 0, means.length);
    }
  }

  /**
   * Computes the gradients of the running means and spreads: their differences from the means and
   * spreads of the mini-batch.
   */
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
