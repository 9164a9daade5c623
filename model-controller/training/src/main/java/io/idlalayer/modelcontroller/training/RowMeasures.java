package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import java.util.List;

/**
 * Collects, for each row of a batch, its loss and a bound of the norm of its gradient. Confined to
 * one thread.
 */
final class RowMeasures {
  private final Dl4jModel model;
  private final float[] losses;
  private final float[] norms;

  /**
   * @param model model that computes the losses of its predictions
   * @param rows number of rows of the batch
   */
  RowMeasures(Dl4jModel model, int rows) {
    this.model = model;
    losses = new float[rows];
    norms = new float[rows];
  }

  /**
   * Measures some of the rows by their predictions.
   *
   * @param rows indexes of these rows in the batch
   * @param samples samples of these rows, in the order of {@code rows}
   * @param predictions predictions for these samples
   */
  void take(int[] rows, List<Sample> samples, double[][] predictions) {
    float[] taken = model.losses(samples, predictions);
    float[] bounds = model.gradientNorms(samples, predictions);
    for (int i = 0; i < rows.length; i++) {
      losses[rows[i]] = taken[i];
      norms[rows[i]] = bounds[i];
    }
  }

  /**
   * Measures some of the rows by the outputs of the network's forward pass.
   *
   * @param outputs outputs of the network; shape [rows, width]
   */
  void take(int[] rows, List<Sample> samples, float[] outputs) {
    int width = outputs.length / rows.length;
    double[][] predictions = new double[rows.length][];
    for (int i = 0; i < predictions.length; i++) {
      predictions[i] = model.prediction(outputs, i, width);
    }
    take(rows, samples, predictions);
  }

  /** Returns the losses by row; 0 for a row that was not measured. */
  float[] losses() {
    return losses;
  }

  /** Returns the gradient norms by row; 0 for a row that was not measured. */
  float[] norms() {
    return norms;
  }
}
