package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Multiplies a tensor by a number, or copies it if the number is 1. */
public final class Scale implements RepeatableKernel {
  private static final int PIECE = 1_024;

  private final Tensor from;
  private final Tensor to;
  private final float factor;
  private final float[] values = new float[PIECE];

  /**
   * @param to target of equal length; can be the source tensor
   */
  public Scale(Tensor from, Tensor to, float factor) {
    this.from = from;
    this.to = to;
    this.factor = factor;
  }

  @Override
  public void run() {
    for (int at = 0; at < from.length(); at += PIECE) {
      int count = Math.min(PIECE, from.length() - at);
      from.floats().get(at, values, 0, count);
      if (factor != 1) {
        for (int i = 0; i < count; i++) {
          values[i] *= factor;
        }
      }
      to.floats().put(at, values, 0, count);
    }
  }
}
