package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.Arrays;

/** Sums up the errors of all rows, which gives the gradient of a bias. */
public final class ColumnSums implements TapeKernel {
  /** If a row has fewer numbers than this, several rows are copied at a time. */
  private static final int SHORT = 16;

  private final Tensor errors;
  private final Tensor gradient;
  private final float[] block;
  private final float[] sums;

  /**
   * @param errors errors of the rows; shape [rows, length of the gradient]
   */
  public ColumnSums(Tensor errors, Tensor gradient) {
    this.errors = errors;
    this.gradient = gradient;
    sums = new float[gradient.length()];
    block = new float[sums.length < SHORT ? Rows.block(errors.length(), sums.length) : sums.length];
  }

  @Override
  public void run() {
    Arrays.fill(sums, 0);
    Floats source = errors.floats();
    for (int at = 0; at < errors.length(); at += block.length) {
      int count = Math.min(block.length, errors.length() - at);
      source.get(at, block, 0, count);
      if (count == sums.length) {
        add(block, sums);
        continue;
      }
      for (int row = 0; row < count; row += sums.length) {
        add(block, row, sums);
      }
    }
    gradient.floats().put(0, sums, 0, sums.length);
  }

  /**
   * Adds a row to the sums, in a loop with one index. The JVM compiles a loop with one index to
   * vector instructions, but not a loop with two indexes.
   */
  private static void add(float[] row, float[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] += row[i];
    }
  }

  private static void add(float[] rows, int from, float[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] += rows[from + i];
    }
  }
}
