package io.idlalayer.benchmarks.rows;

import io.idlalayer.middleware.embedding.batch.UniqueRows;
import java.util.Arrays;

/** All rows in one array, whose index is the id: no store, no new ids, nothing durable. */
final class ArrayContender implements RowsContender {
  private final int dim;
  private final int rows;
  private final float[] values;
  private final UniqueRows unique = new UniqueRows();

  ArrayContender(BenchTable table) {
    dim = table.dim();
    rows = table.rows();
    values = new float[Math.multiplyExact(rows, dim)];
    for (int i = 0; i < values.length; i++) {
      values[i] = BenchTable.value(BenchTable.key(i / dim), i % dim);
    }
  }

  @Override
  public String name() {
    return "float[], index = id";
  }

  @Override
  public void lookup(IdBatch batch, float[] sums) {
    int use = 0;
    for (int output = 0; output < batch.outputs(); output++) {
      int to = output * dim;
      for (int i = 0; i < batch.accesses(); i++) {
        int from = batch.ids()[use++] * dim;
        for (int k = 0; k < dim; k++) {
          sums[to + k] += values[from + k];
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
      int at = unique.row(ordinal) * dim;
      for (int k = 0; k < dim; k++) {
        values[at + k] -= rate * gradient[k];
      }
    }
  }

  @Override
  public Reads reads() {
    return Reads.NONE;
  }

  @Override
  public long fastBytes() {
    return (long) Float.BYTES * values.length;
  }

  @Override
  public long residentRows() {
    return rows;
  }
}
