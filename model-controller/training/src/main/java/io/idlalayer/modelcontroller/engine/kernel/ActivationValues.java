package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/**
 * Computes the values of an activation function.
 *
 * @param outputs receives the values, one for each input; can be the tensor of the inputs
 */
public record ActivationValues(Activation function, Tensor inputs, Tensor outputs)
    implements RepeatableKernel {
  private static final int PIECE = 1_024;

  @Override
  public void run() {
    float[] x = new float[PIECE];
    for (int from = 0; from < inputs.length(); from += PIECE) {
      int count = Math.min(PIECE, inputs.length() - from);
      inputs.floats().get(from, x, 0, count);
      for (int i = 0; i < count; i++) {
        x[i] = function.value(x[i]);
      }
      outputs.floats().put(from, x, 0, count);
    }
  }
}
