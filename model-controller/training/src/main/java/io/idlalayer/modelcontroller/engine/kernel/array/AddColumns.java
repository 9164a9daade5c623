package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.kernel.array.CopyColumns.Columns;
import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import java.util.Arrays;

/**
 * Adds neighbouring columns of one matrix to neighbouring columns of another matrix with the same
 * number of rows.
 */
public final class AddColumns implements TapeKernel {
  private final Columns from;
  private final Columns to;
  private final boolean fresh;
  private final float[] added;
  private final float[] row;

  /**
   * Creates the kernel.
   *
   * @param count number of columns
   * @param fresh whether the target matrix counts as 0, whatever it contains; if so, the whole
   *     matrix is written
   */
  public AddColumns(Columns from, Columns to, int count, boolean fresh) {
    this.from = from;
    this.to = to;
    this.fresh = fresh;
    added = new float[count];
    row = new float[fresh ? to.width() : count];
  }

  @Override
  public void run() {
    Floats source = from.matrix().floats();
    Floats target = to.matrix().floats();
    int rows = from.matrix().length() / from.width();
    // The other columns of this buffer are 0 from the beginning.
    Arrays.fill(row, 0);
    for (int i = 0; i < rows; i++) {
      int at = i * to.width();
      if (fresh) {
        source.get(i * from.width() + from.first(), row, to.first(), added.length);
        target.put(at, row, 0, row.length);
      } else {
        source.get(i * from.width() + from.first(), added, 0, added.length);
        target.get(at + to.first(), row, 0, row.length);
        for (int k = 0; k < row.length; k++) {
          row[k] += added[k];
        }
        target.put(at + to.first(), row, 0, row.length);
      }
    }
  }
}
