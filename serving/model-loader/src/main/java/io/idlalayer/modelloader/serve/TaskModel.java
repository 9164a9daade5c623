package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.serve.Experts;
import io.idlalayer.modelruntime.serve.NetworkPrediction;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A loaded model that predicts. An instance belongs to one thread at a time; off-heap memory is
 * freed by {@link #close()}.
 */
public interface TaskModel extends AutoCloseable {
  /**
   * Predicts for each sample, in order: class probabilities (classification; width = number of
   * classes) or the target in its own units (regression; width 1).
   */
  double[][] predict(List<Sample> samples);

  /**
   * Predicts with given vectors of ids, for a model that holds no rows itself.
   *
   * @param vectors vectors of the ids of these samples
   */
  default double[][] predict(List<Sample> samples, IdVectors vectors) {
    return predict(samples);
  }

  /**
   * Returns the experts whose mean {@link #predict} returns; null if the network is the only one.
   */
  default @Nullable Experts experts() {
    return null;
  }

  /** Returns what the network alone predicts for each sample, in order. */
  default List<NetworkPrediction> predictAlone(List<Sample> samples, IdVectors vectors) {
    return Arrays.stream(predict(samples, vectors))
        .map(prediction -> new NetworkPrediction(prediction, null))
        .toList();
  }

  /**
   * Returns the loss of each labelled sample under predictions of {@link #predict}: -ln p(label)
   * (classification) or the loss of the target that the model was trained for, in label units. A
   * loss is NaN if the prediction is NaN.
   */
  float[] losses(List<Sample> samples, double[][] predictions);

  /**
   * Returns the value with which {@link #losses} counts a label: an outlying target counts as if it
   * lay at the edge of the range for which the model was trained.
   */
  default double counted(double label) {
    return label;
  }

  @Override
  void close();
}
