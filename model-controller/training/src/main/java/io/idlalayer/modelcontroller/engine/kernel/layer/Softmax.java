package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.kernel.array.Rows;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Turns each row of logits into probabilities. */
public final class Softmax implements RepeatableKernel {
  private final Tensor rows;
  private final int classes;
  private final float[] block;

  /**
   * @param rows rows to normalize; shape [rows, classes]
   */
  public Softmax(Tensor rows, int classes) {
    this.rows = rows;
    this.classes = classes;
    block = new float[Rows.block(rows.length(), classes)];
  }

  @Override
  public void run() {
    for (int at = 0; at < rows.length(); at += block.length) {
      int count = Math.min(block.length, rows.length() - at);
      rows.floats().get(at, block, 0, count);
      for (int row = 0; row < count; row += classes) {
        apply(block, row, classes);
      }
      rows.floats().put(at, block, 0, count);
    }
  }

  /** Replaces one row of logits by probabilities; all NaN if one of the logits is NaN. */
  static void apply(float[] logits, int from, int classes) {
    float largest = Float.NEGATIVE_INFINITY;
    for (int i = from; i < from + classes; i++) {
      largest = Math.max(largest, logits[i]);
    }
    double sum = 0;
    for (int i = from; i < from + classes; i++) {
      double below = (double) logits[i] - largest;
      double power = below == 0 ? 1 : Math.exp(below);
      logits[i] = (float) power;
      sum += power;
    }
    for (int i = from; i < from + classes; i++) {
      logits[i] = (float) (logits[i] / sum);
    }
  }
}
