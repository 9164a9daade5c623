package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.Sample;
import java.util.List;

/**
 * A loaded model that predicts. An instance belongs to one thread at a time; off-heap memory is
 * freed by {@link #close()}.
 */
public interface TaskModel extends AutoCloseable {
  /**
   * Predicts one row per sample, in order: class probabilities (classification; width = number of
   * classes) or the target in its own units (regression; width 1).
   */
  float[][] predict(List<Sample> samples);

  /**
   * Loss of each labelled sample under predictions of {@link #predict}: -ln p(label)
   * (classification) or squared error in label units.
   */
  float[] losses(List<Sample> samples, float[][] predictions);

  /** Predicts and returns the losses. */
  default float[] losses(List<Sample> samples) {
    return losses(samples, predict(samples));
  }

  @Override
  void close();
}
