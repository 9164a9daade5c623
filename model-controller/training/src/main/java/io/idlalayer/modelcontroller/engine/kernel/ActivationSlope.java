package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Multiplies errors by the slope of an activation function.
 *
 * @param known outputs of the function, or its inputs if {@link Activation#needsInputs} returns
 *     true
 */
public record ActivationSlope(Activation function, Tensor known, Tensor errors)
    implements TapeKernel {
  private static final int PIECE = 1_024;

  @Override
  public void run() {
    float[] y = new float[PIECE];
    float[] error = new float[PIECE];
    for (int from = 0; from < errors.length(); from += PIECE) {
      int count = Math.min(PIECE, errors.length() - from);
      known.floats().get(from, y, 0, count);
      errors.floats().get(from, error, 0, count);
      for (int i = 0; i < count; i++) {
        error[i] *= function.slope(y[i]);
      }
      errors.floats().put(from, error, 0, count);
    }
  }
}
