package io.idlalayer.modelruntime.serve;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import org.jspecify.annotations.Nullable;

/**
 * Turns the prediction of a network into the weighted mean of it and of the references in its
 * version. Immutable.
 */
public final class ReferenceMean {
  private final double weight;
  private final double[] added;

  private ReferenceMean(ServedMixture mixture, int width) {
    weight = mixture.networkWeight();
    added = mixture.added(width);
  }

  /**
   * Returns the mean for a mixture; null for none.
   *
   * @param spec specification of the model
   */
  public static @Nullable ReferenceMean of(@Nullable ServedMixture mixture, ModelSpec spec) {
    return mixture == null ? null : new ReferenceMean(mixture, spec.outputWidth());
  }

  /**
   * Changes the prediction of the network into that of all experts.
   *
   * @param prediction probabilities of the classes, or one target in its own units
   */
  public void apply(double[] prediction) {
    for (int k = 0; k < prediction.length; k++) {
      prediction[k] = weight * prediction[k] + added[k];
    }
  }
}
