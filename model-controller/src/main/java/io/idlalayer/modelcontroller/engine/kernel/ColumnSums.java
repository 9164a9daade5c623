package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;

/** Sums the errors of all rows: the gradient of a bias. */
public final class ColumnSums implements Kernel {
  private final Tensor errors;
  private final Tensor gradient;
  private final float[] row;
  private final float[] sums;

  /**
   * @param errors of shape [rows, length of the gradient]
   */
  public ColumnSums(Tensor errors, Tensor gradient) {
    this.errors = errors;
    this.gradient = gradient;
    row = new float[gradient.length()];
    sums = new float[gradient.length()];
  }

  @Override
  public void run() {
    Arrays.fill(sums, 0);
    Floats source = errors.floats();
    for (int at = 0; at < errors.length(); at += row.length) {
      source.get(at, row, 0, row.length);
      for (int i = 0; i < sums.length; i++) {
        sums[i] += row[i];
      }
    }
    gradient.floats().put(0, sums, 0, sums.length);
  }
}
