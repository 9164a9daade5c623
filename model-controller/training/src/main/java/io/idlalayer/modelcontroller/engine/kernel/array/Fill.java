package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;

/** Sets all numbers of a tensor to one value. */
public final class Fill implements TapeKernel {
  private static final int PIECE = 1_024;

  private final Tensor tensor;
  private final float[] values;

  public Fill(Tensor tensor, float value) {
    this.tensor = tensor;
    values = new float[Math.min(PIECE, tensor.length())];
    Arrays.fill(values, value);
  }

  @Override
  public void run() {
    Floats target = tensor.floats();
    for (int at = 0; at < tensor.length(); at += values.length) {
      target.put(at, values, 0, Math.min(values.length, tensor.length() - at));
    }
  }
}
