package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Writes the bias into every row, for a product that adds to it. */
public final class RowBias implements Kernel {
  private final Tensor bias;
  private final Tensor rows;
  private final float[] values;

  /**
   * @param rows of shape [rows, length of the bias]
   */
  public RowBias(Tensor bias, Tensor rows) {
    this.bias = bias;
    this.rows = rows;
    values = new float[bias.length()];
  }

  @Override
  public void run() {
    bias.floats().get(0, values, 0, values.length);
    Floats target = rows.floats();
    for (int at = 0; at < rows.length(); at += values.length) {
      target.put(at, values, 0, values.length);
    }
  }
}
