package io.idlalayer.modelruntime.serve;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;

/** A loaded model that predicts, by any implementation. Several threads may use one. */
public interface Predictor {
  /** Returns the specification of the model's inputs and outputs. */
  ModelSpec spec();

  /**
   * Predicts for each sample, in order: class probabilities (classification; width = number of
   * classes) or the target in its own units (regression; width 1).
   *
   * @throws IllegalArgumentException if a sample is not one of the model's schema
   */
  double[][] predict(List<Sample> samples);

  /**
   * Returns how many looked-up ids had no row and used the row of unknown ids, in this model and in
   * the versions before it in this process. 0 if it has no tables.
   */
  long unknownIds();

  /**
   * Returns the index of the first number of a prediction that is not finite; -1 if all are. Such a
   * prediction makes no class the most probable one, and JSON has no such numbers.
   */
  static int firstNotFinite(double[] prediction) {
    for (int i = 0; i < prediction.length; i++) {
      if (!Double.isFinite(prediction[i])) {
        return i;
      }
    }
    return -1;
  }
}
