package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the outputs of a network by the gradient of its loss. A row of weight w counts as w
 * rows. The errors are sums over the rows; the update divides them by the number of rows.
 */
public final class LossErrors implements TapeKernel {
  private final Loss loss;
  private final Tensor outputs;
  private final Tensor labels;
  private final int width;
  private final float[] values;
  private final float[] wanted;
  private float @Nullable [] weights;
  private float @Nullable [] activated;
  private double meanLoss = Double.NaN;

  /**
   * @param outputs outputs before the activation; shape [rows, width]
   * @param labels labels; shape [rows, width]
   */
  public LossErrors(Loss loss, Tensor outputs, Tensor labels, int width) {
    this.loss = loss;
    this.outputs = outputs;
    this.labels = labels;
    this.width = width;
    values = new float[outputs.length()];
    wanted = new float[outputs.length()];
  }

  /**
   * Sets the weights of the rows of the next run.
   *
   * @param weights weight of each row, at least 0; null if all have weight 1
   */
  public void weigh(float @Nullable [] weights) {
    this.weights = weights;
  }

  /**
   * Sets the array that receives the outputs of the next run.
   *
   * @param activated receives the outputs after the activation; shape [rows, width]. Null if they
   *     are not needed
   */
  public void giveOutputs(float @Nullable [] activated) {
    this.activated = activated;
  }

  /** Returns the weighted mean of the losses of the rows of the last run. */
  public double meanLoss() {
    return meanLoss;
  }

  @Override
  public void run() {
    outputs.floats().get(0, values, 0, values.length);
    labels.floats().get(0, wanted, 0, wanted.length);
    float[] counts = weights;
    double sum = 0;
    for (int row = 0, at = 0; at < values.length; row++, at += width) {
      double rowLoss = loss.replaceByErrors(values, wanted, activated, at, width);
      if (counts != null) {
        rowLoss *= counts[row];
        for (int i = at; i < at + width; i++) {
          values[i] *= counts[row];
        }
      }
      sum += rowLoss;
    }
    outputs.floats().put(0, values, 0, values.length);
    meanLoss = sum * width / values.length;
  }
}
