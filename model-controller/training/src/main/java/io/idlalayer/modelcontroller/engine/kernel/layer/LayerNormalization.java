package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.kernel.array.Rows;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Scales and shifts the numbers of each row to mean 0 and variance 1, and then applies a learned
 * scale and shift (Ba 2016). Sums are in double precision. The result of a row does not depend on
 * other rows, so the forward pass is the same in predictions and trainings.
 *
 * @param width numbers of a row
 * @param epsilon added to variances
 * @param scale factor of each number of a row
 * @param shift number that is added to each number after scaling
 */
public record LayerNormalization(int width, double epsilon, Tensor scale, Tensor shift) {
  /** Returns the kernel that normalizes rows. */
  public RepeatableKernel forward(Tensor inputs, Tensor outputs) {
    float[] block = new float[Rows.block(inputs.length(), width)];
    return () -> {
      float[] factors = scale.floats().toArray();
      float[] offsets = shift.floats().toArray();
      for (int at = 0; at < inputs.length(); at += block.length) {
        int count = Math.min(block.length, inputs.length() - at);
        inputs.floats().get(at, block, 0, count);
        for (int row = 0; row < count; row += width) {
          Moments moments = moments(block, row);
          for (int i = 0; i < width; i++) {
            double normal = moments.normal(block[row + i]);
            block[row + i] = (float) (normal * factors[i] + offsets[i]);
          }
        }
        outputs.floats().put(at, block, 0, count);
      }
    };
  }

  /**
   * Returns the kernel that computes the gradients of scale and shift and the errors of the inputs.
   *
   * @param inputErrors receives the errors of the inputs; can be the tensor of the errors
   */
  public TapeKernel backward(
      Tensor inputs,
      Tensor errors,
      Tensor scaleGradient,
      Tensor shiftGradient,
      Tensor inputErrors) {
    float[] x = new float[Rows.block(inputs.length(), width)];
    float[] dy = new float[x.length];
    return () -> {
      float[] factors = scale.floats().toArray();
      double[] ofScale = new double[width];
      double[] ofShift = new double[width];
      for (int at = 0; at < inputs.length(); at += x.length) {
        int count = Math.min(x.length, inputs.length() - at);
        inputs.floats().get(at, x, 0, count);
        errors.floats().get(at, dy, 0, count);
        for (int row = 0; row < count; row += width) {
          propagate(x, dy, row, factors, ofScale, ofShift);
        }
        inputErrors.floats().put(at, dy, 0, count);
      }
      put(ofScale, scaleGradient);
      put(ofShift, shiftGradient);
    };
  }

  /**
   * Replaces the errors of the outputs of a row by the errors of its inputs, and adds the gradients
   * of scale and shift.
   */
  private void propagate(
      float[] x, float[] dy, int row, float[] factors, double[] ofScale, double[] ofShift) {
    Moments moments = moments(x, row);
    double sum = 0;
    double product = 0;
    for (int i = 0; i < width; i++) {
      double normal = moments.normal(x[row + i]);
      double error = (double) dy[row + i] * factors[i];
      sum += error;
      product += error * normal;
      ofScale[i] += dy[row + i] * normal;
      ofShift[i] += dy[row + i];
    }
    for (int i = 0; i < width; i++) {
      double normal = moments.normal(x[row + i]);
      double error = (double) dy[row + i] * factors[i];
      dy[row + i] = (float) (moments.factor() * (error - (sum + normal * product) / width));
    }
  }

  private static void put(double[] sums, Tensor into) {
    float[] rounded = new float[sums.length];
    for (int i = 0; i < sums.length; i++) {
      rounded[i] = (float) sums[i];
    }
    into.floats().put(0, rounded, 0, rounded.length);
  }

  /**
   * Mean and spread of a row.
   *
   * @param factor 1 divided by the standard deviation
   */
  private record Moments(double mean, double factor) {
    double normal(float x) {
      return (x - mean) * factor;
    }
  }

  private Moments moments(float[] values, int from) {
    double sum = 0;
    for (int i = from; i < from + width; i++) {
      sum += values[i];
    }
    double mean = sum / width;
    double squares = 0;
    for (int i = from; i < from + width; i++) {
      squares += (values[i] - mean) * (values[i] - mean);
    }
    return new Moments(mean, 1 / Math.sqrt(squares / width + epsilon));
  }
}
