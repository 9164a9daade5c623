package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Copies neighbouring columns of one matrix to another matrix with the same number of rows. */
public final class CopyColumns implements RepeatableKernel {
  private final Columns from;
  private final Columns to;
  private final float[] values;

  /**
   * A range of neighbouring columns of a matrix that is stored row by row.
   *
   * @param width number of columns of the matrix
   * @param first index of the first column of the range
   */
  public record Columns(Tensor matrix, int width, int first) {}

  /**
   * @param count number of columns
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
