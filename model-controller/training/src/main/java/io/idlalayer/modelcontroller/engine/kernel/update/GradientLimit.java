package io.idlalayer.modelcontroller.engine.kernel.update;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/**
 * Bounds or normalizes several gradients together, after dividing each gradient by the number of
 * rows in its sum.
 */
public final class GradientLimit implements TapeKernel {
  private static final double LEAST_NORM = 1e-5;
  private static final int PIECE = 1_024;

  private final Mode mode;
  private final double threshold;
  private final List<Gradient> gradients;
  private final float[] values = new float[PIECE];

  /** The way in which gradients are limited. */
  public enum Mode {
    /** Scales the gradients to the Euclidean norm 1. */
    NORMALIZE,
    /** Scales the gradients down to a Euclidean norm of at most the threshold. */
    CLIP_NORM,
    /** Clips each gradient to the range from the negative threshold to the threshold. */
    CLIP_VALUES
  }

  /**
   * A tensor of gradients, and the number by which they are divided.
   *
   * @param divisor number of rows in the sum; 1 if the gradient is not a sum
   */
  public record Gradient(Tensor tensor, int divisor) {}

  /**
   * @param gradients gradients that are limited together
   */
  public GradientLimit(Mode mode, double threshold, List<Gradient> gradients) {
    this.mode = mode;
    this.threshold = threshold;
    this.gradients = List.copyOf(gradients);
  }

  @Override
  public void run() {
    float factor = mode == Mode.CLIP_VALUES ? 1 : factor(Math.sqrt(squares()));
    for (Gradient gradient : gradients) {
      Tensor tensor = gradient.tensor();
      for (int at = 0; at < tensor.length(); at += PIECE) {
        int count = read(tensor, at);
        for (int k = 0; k < count; k++) {
          values[k] = limited(values[k] / gradient.divisor() * factor);
        }
        tensor.floats().put(at, values, 0, count);
      }
    }
  }

  private double squares() {
    double squares = 0;
    for (Gradient gradient : gradients) {
      Tensor tensor = gradient.tensor();
      for (int at = 0; at < tensor.length(); at += PIECE) {
        int count = read(tensor, at);
        for (int k = 0; k < count; k++) {
          float value = values[k] / gradient.divisor();
          squares += (double) value * value;
        }
      }
    }
    return squares;
  }

  private int read(Tensor gradient, int at) {
    int count = Math.min(PIECE, gradient.length() - at);
    gradient.floats().get(at, values, 0, count);
    return count;
  }

  private float factor(double norm) {
    return switch (mode) {
      case NORMALIZE -> (float) (1 / (norm == 0 ? LEAST_NORM : norm));
      case CLIP_NORM -> norm > threshold ? (float) (threshold / norm) : 1;
      case CLIP_VALUES -> 1;
    };
  }

  private float limited(float value) {
    if (mode != Mode.CLIP_VALUES) {
      return value;
    }
    // Math.min and Math.max keep NaN.
    return (float) Math.max(-threshold, Math.min(threshold, value));
  }
}
