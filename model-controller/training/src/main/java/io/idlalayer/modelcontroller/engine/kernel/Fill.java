package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;

/** Gives all numbers of a tensor one value. */
public final class Fill implements Kernel {
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
