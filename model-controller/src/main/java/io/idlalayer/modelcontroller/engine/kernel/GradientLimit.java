package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/** Divides gradients by the number of rows and then bounds or normalizes them together. */
public final class GradientLimit implements Kernel {
  private static final double LEAST_NORM = 1e-5;
  private static final int PIECE = 1_024;

  private final Mode mode;
  private final double threshold;
  private final List<Tensor> gradients;
  private final int divisor;
  private final float[] values = new float[PIECE];

  /** How they are limited. */
  public enum Mode {
    /** To the Euclidean norm 1. */
    NORMALIZE,
    /** To a norm of at most the threshold. */
    CLIP_NORM,
    /** Each to at most the threshold and at least its negative. */
    CLIP_VALUES
  }

  /**
   * @param gradients whose norm is taken together
   */
  public GradientLimit(Mode mode, double threshold, List<Tensor> gradients, int divisor) {
    this.mode = mode;
    this.threshold = threshold;
    this.gradients = List.copyOf(gradients);
    this.divisor = divisor;
  }

  @Override
  public void run() {
    float factor = mode == Mode.CLIP_VALUES ? 1 : factor(Math.sqrt(squares()));
    for (Tensor gradient : gradients) {
      for (int at = 0; at < gradient.length(); at += PIECE) {
        int count = read(gradient, at);
        for (int k = 0; k < count; k++) {
          values[k] = limited(values[k] / divisor * factor);
        }
        gradient.floats().put(at, values, 0, count);
      }
    }
  }

  private double squares() {
    double squares = 0;
    for (Tensor gradient : gradients) {
      for (int at = 0; at < gradient.length(); at += PIECE) {
        int count = read(gradient, at);
        for (int k = 0; k < count; k++) {
          float value = values[k] / divisor;
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
