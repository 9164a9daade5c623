package io.idlalayer.modelcontroller.engine.kernel.array;

import io.idlalayer.modelcontroller.engine.tape.Floats;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;

/** Copies the bias into every row, before a product is added to the rows. */
public final class RowBias implements RepeatableKernel {
  private final Tensor bias;
  private final Tensor rows;
  private final int width;

  /** Buffer of several copies of the bias, so that short rows are written together. */
  private final float[] block;

  /**
   * @param rows rows to which the bias is added; shape [rows, length of the bias]
   */
  public RowBias(Tensor bias, Tensor rows) {
    this.bias = bias;
    this.rows = rows;
    width = bias.length();
    block = new float[Rows.block(rows.length(), width)];
  }

  @Override
  public void run() {
    bias.floats().get(0, block, 0, width);
    for (int known = width; known < block.length; known *= 2) {
      System.arraycopy(block, 0, block, known, Math.min(known, block.length - known));
    }
    Floats target = rows.floats();
    for (int at = 0; at < rows.length(); at += block.length) {
      target.put(at, block, 0, Math.min(block.length, rows.length() - at));
    }
  }
}
