package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Copies neighbouring columns of one matrix to another one with the same number of rows. */
public final class CopyColumns implements Kernel {
  private final Columns from;
  private final Columns to;
  private final float[] values;

  /**
   * Columns of a matrix that is stored row by row.
   *
   * @param width of the matrix
   * @param first of the columns
   */
  public record Columns(Tensor matrix, int width, int first) {}

  /**
   * @param count of the columns
   */
  public CopyColumns(Columns from, Columns to, int count) {
    this.from = from;
    this.to = to;
    values = new float[count];
  }

  @Override
  public void run() {
    Floats source = from.matrix().floats();
    Floats target = to.matrix().floats();
    int rows = from.matrix().length() / from.width();
    for (int row = 0; row < rows; row++) {
      source.get(row * from.width() + from.first(), values, 0, values.length);
      target.put(row * to.width() + to.first(), values, 0, values.length);
    }
  }
}
