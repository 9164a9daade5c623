package io.idlalayer.modelcontroller.engine.kernel;

import io.idlalayer.modelcontroller.engine.tape.Kernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Turns each row of logits into probabilities. */
public final class Softmax implements Kernel {
  private final Tensor rows;
  private final float[] row;

  /**
   * @param rows of shape [rows, classes]
   */
  public Softmax(Tensor rows, int classes) {
    this.rows = rows;
    row = new float[classes];
  }

  @Override
  public void run() {
    for (int at = 0; at < rows.length(); at += row.length) {
      rows.floats().get(at, row, 0, row.length);
      apply(row, 0, row.length);
      rows.floats().put(at, row, 0, row.length);
    }
  }

  /** One row of logits; NaN if one of them is. */
  static void apply(float[] logits, int from, int classes) {
    float largest = Float.NEGATIVE_INFINITY;
    for (int i = from; i < from + classes; i++) {
      largest = Math.max(largest, logits[i]);
    }
    double sum = 0;
    for (int i = from; i < from + classes; i++) {
      double power = Math.exp((double) logits[i] - largest);
      logits[i] = (float) power;
      sum += power;
    }
    for (int i = from; i < from + classes; i++) {
      logits[i] = (float) (logits[i] / sum);
    }
  }
}
