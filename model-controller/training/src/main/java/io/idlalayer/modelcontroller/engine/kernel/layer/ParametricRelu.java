package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.kernel.array.Rows;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Multiplies negative numbers by a learned slope (He 2015). Neighbouring numbers of a row share a
 * slope, for instance the pixels of a channel. Sums are in double precision and in the order of the
 * rows.
 *
 * @param width numbers of a row
 * @param slopes learned slopes; each slope is used for width / slopes neighbouring numbers
 */
public record ParametricRelu(int width, Tensor slopes) {
  private int span() {
    return width / slopes.length();
  }

  /** Returns the kernel that multiplies negative numbers of rows. */
  public RepeatableKernel forward(Tensor inputs, Tensor outputs) {
    float[] block = new float[Rows.block(inputs.length(), width)];
    int span = span();
    return () -> {
      float[] factors = slopes.floats().toArray();
      for (int at = 0; at < inputs.length(); at += block.length) {
        int count = Math.min(block.length, inputs.length() - at);
        inputs.floats().get(at, block, 0, count);
        for (int from = 0, slope = 0; from < count; from += span) {
          float factor = factors[slope];
          for (int i = from; i < from + span; i++) {
            block[i] = block[i] < 0 ? factor * block[i] : block[i];
          }
          slope = slope + 1 == factors.length ? 0 : slope + 1;
        }
        outputs.floats().put(at, block, 0, count);
      }
    };
  }

  /**
   * Returns the kernel that computes the gradients of the slopes and the errors of the inputs.
   *
   * @param inputErrors receives the errors of the inputs; can be the tensor of the errors
   */
  public TapeKernel backward(
      Tensor inputs, Tensor errors, Tensor slopeGradient, Tensor inputErrors) {
    float[] x = new float[Rows.block(inputs.length(), width)];
    float[] dy = new float[x.length];
    int span = span();
    return () -> {
      float[] factors = slopes.floats().toArray();
      double[] gradients = new double[factors.length];
      for (int at = 0; at < inputs.length(); at += x.length) {
        int count = Math.min(x.length, inputs.length() - at);
        inputs.floats().get(at, x, 0, count);
        errors.floats().get(at, dy, 0, count);
        for (int from = 0, slope = 0; from < count; from += span) {
          for (int i = from; i < from + span; i++) {
            if (x[i] < 0) {
              gradients[slope] += (double) dy[i] * x[i];
              dy[i] *= factors[slope];
            }
          }
          slope = slope + 1 == factors.length ? 0 : slope + 1;
        }
        inputErrors.floats().put(at, dy, 0, count);
      }
      float[] rounded = new float[gradients.length];
      for (int i = 0; i < rounded.length; i++) {
        rounded[i] = (float) gradients[i];
      }
      slopeGradient.floats().put(0, rounded, 0, rounded.length);
    };
  }
}
