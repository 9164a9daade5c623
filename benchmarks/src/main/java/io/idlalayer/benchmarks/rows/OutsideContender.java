package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.batch.UniqueRows;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;

/**
 * All rows in memory outside the heap, whose place follows from the id: shows what it costs that
 * rows begin somewhere within a line of the processor's cache. Each row is read and written by one
 * bulk call.
 */
final class OutsideContender implements RowsContender {
  /** Size of a cache line. */
  private static final int LINE_BYTES = 64;

  private final String name;
  private final int dim;
  private final int rows;
  private final int stride;
  private final FloatBuffer values;
  private final UniqueRows unique = new UniqueRows();
  private final float[] row;

  /**
   * @param offsetBytes offset of each row from the start of a cache line, a multiple of 4
   */
  OutsideContender(BenchTable table, int offsetBytes) {
    name = "outside the heap, %d bytes behind a line's begin".formatted(offsetBytes);
    dim = table.dim();
    rows = table.rows();
    int line = LINE_BYTES / Float.BYTES;
    stride = (dim + line - 1) / line * line;
    int bytes = Math.multiplyExact(Math.multiplyExact(rows, stride), Float.BYTES);
    ByteBuffer all = ByteBuffer.allocateDirect(Math.addExact(bytes, 2 * LINE_BYTES));
    values =
        all.alignedSlice(LINE_BYTES)
            .slice(offsetBytes, bytes)
            .order(ByteOrder.nativeOrder())
            .asFloatBuffer();
    row = new float[dim];
    for (int id = 0; id < rows; id++) {
      for (int k = 0; k < dim; k++) {
        row[k] = BenchTable.value(BenchTable.key(id), k);
      }
      values.put(id * stride, row);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void lookup(IdBatch batch, float[] sums) {
    int use = 0;
    for (int output = 0; output < batch.outputs(); output++) {
      int to = output * dim;
      for (int i = 0; i < batch.accesses(); i++) {
        values.get(batch.ids()[use++] * stride, row);
        for (int k = 0; k < dim; k++) {
          sums[to + k] += row[k];
        }
      }
    }
  }

  @Override
  public void train(IdBatch batch, float[] sums, float[] gradients) {
    lookup(batch, sums);
    unique.index(batch.ids(), batch.ids().length, rows);
    float[] gradient = new float[dim];
    float rate = (float) BenchTable.RULE.learningRate();
    for (int ordinal = 0; ordinal < unique.count(); ordinal++) {
      Arrays.fill(gradient, 0);
      for (int i = unique.from(ordinal); i < unique.to(ordinal); i++) {
        int from = unique.use(i) / batch.accesses() * dim;
        for (int k = 0; k < dim; k++) {
          gradient[k] += gradients[from + k];
        }
      }
      int at = unique.row(ordinal) * stride;
      values.get(at, row);
      for (int k = 0; k < dim; k++) {
        row[k] -= rate * gradient[k];
      }
      values.put(at, row);
    }
  }

  @Override
  public Reads reads() {
    return Reads.NONE;
  }

  @Override
  public long fastBytes() {
    return (long) Float.BYTES * values.capacity();
  }

  @Override
  public long residentRows() {
    return rows;
  }
}
