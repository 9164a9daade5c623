package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;
import java.util.List;

/** Computes the largest of the numbers at each position of several tensors of one length. */
public final class Maximum {
  private static final int PIECE = 1_024;

  private final List<Tensor> inputs;
  private final float[] largest = new float[PIECE];
  private final float[] values = new float[PIECE];
  private final int[] chosen = new int[PIECE];

  public Maximum(List<Tensor> inputs) {
    this.inputs = List.copyOf(inputs);
  }

  public RepeatableKernel forward(Tensor outputs) {
    return () -> {
      for (int from = 0; from < outputs.length(); from += PIECE) {
        int count = Math.min(PIECE, outputs.length() - from);
        choose(from, count);
        outputs.floats().put(from, largest, 0, count);
      }
    };
  }

  /**
   * Returns the backward kernel, which passes each error to the first input that had the largest
   * value.
   *
   * @param errors errors of the outputs
   * @param inputErrors errors of the inputs, one tensor for each input
   */
  public TapeKernel backward(Tensor errors, List<Tensor> inputErrors) {
    return () -> {
      float[] given = new float[PIECE];
      for (int from = 0; from < errors.length(); from += PIECE) {
        int count = Math.min(PIECE, errors.length() - from);
        choose(from, count);
        errors.floats().get(from, given, 0, count);
        for (int input = 0; input < inputErrors.size(); input++) {
          for (int i = 0; i < count; i++) {
            values[i] = chosen[i] == input ? given[i] : 0;
          }
          inputErrors.get(input).floats().put(from, values, 0, count);
        }
      }
    };
  }

  private void choose(int from, int count) {
    inputs.get(0).floats().get(from, largest, 0, count);
    Arrays.fill(chosen, 0, count, 0);
    for (int input = 1; input < inputs.size(); input++) {
      inputs.get(input).floats().get(from, values, 0, count);
      for (int i = 0; i < count; i++) {
        if (values[i] > largest[i]) {
          largest[i] = values[i];
          chosen[i] = input;
        }
      }
    }
  }
}
