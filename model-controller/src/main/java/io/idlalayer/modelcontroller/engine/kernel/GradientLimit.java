package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.List;

/** Divides gradients by the number of rows and then bounds or normalizes them together. */
public final class GradientLimit implements Kernel {
  private static final double LEAST_NORM = 1e-5;

  private final Mode mode;
  private final double threshold;
  private final List<Tensor> gradients;
  private final int divisor;

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
    float[][] values = new float[gradients.size()][];
    double squares = 0;
    for (int i = 0; i < values.length; i++) {
      values[i] = gradients.get(i).floats().toArray();
      for (int k = 0; k < values[i].length; k++) {
        values[i][k] /= divisor;
        squares += (double) values[i][k] * values[i][k];
      }
    }
    float factor = factor(Math.sqrt(squares));
    for (int i = 0; i < values.length; i++) {
      for (int k = 0; k < values[i].length; k++) {
        values[i][k] = limited(values[i][k] * factor);
      }
      gradients.get(i).floats().put(0, values[i], 0, values[i].length);
    }
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
