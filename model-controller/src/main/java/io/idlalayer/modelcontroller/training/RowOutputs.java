package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelloader.serve.Dl4jModel;

/**
 * What a network predicted for each row of a batch in the forward passes of one epoch, which its
 * training makes anyway: each row before the step of its own mini-batch.
 */
final class RowOutputs {
  private final int width;
  private final float[] values;

  /**
   * @param width numbers that the network gives for a row
   */
  RowOutputs(int rows, int width) {
    this.width = width;
    values = new float[Math.multiplyExact(rows, width)];
  }

  /** Takes over what a mini-batch gave for a row of the batch. */
  void put(int row, float[] outputs, int rowOfMiniBatch) {
    System.arraycopy(outputs, rowOfMiniBatch * width, values, row * width, width);
  }

  /** As the model would have predicted them. */
  float[][] predictions(Dl4jModel model) {
    float[][] predictions = new float[values.length / width][];
    for (int row = 0; row < predictions.length; row++) {
      predictions[row] = model.prediction(values, row, width);
    }
    return predictions;
  }
}
