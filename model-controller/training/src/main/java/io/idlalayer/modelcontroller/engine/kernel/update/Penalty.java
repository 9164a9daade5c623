package io.idlalayer.modelcontroller.engine.kernel.update;

/**
 * The penalties for large parameters: L1, L2 and weight decay.
 *
 * @param l1 weight of the sum of the parameters' absolute values
 * @param l2 weight of half the sum of the parameters' squares
 * @param decay fraction of each parameter that every update subtracts
 * @param decayTimesRate whether this fraction is multiplied by the learning rate
 */
public record Penalty(Schedule l1, Schedule l2, Schedule decay, boolean decayTimesRate) {
  /** No penalty. */
  public static final Penalty NONE =
      new Penalty(Schedule.NONE, Schedule.NONE, Schedule.NONE, false);

  /** Returns whether the penalty is always 0. */
  boolean none() {
    return l1.none() && l2.none() && decay.none();
  }

  void addToGradients(float[] parameters, float[] gradients, int count, Progress progress) {
    if (!l1.none()) {
      float factor = (float) progress.at(l1);
      for (int i = 0; i < count; i++) {
        gradients[i] += factor * Math.signum(parameters[i]);
      }
    }
    if (!l2.none()) {
      float factor = (float) progress.at(l2);
      for (int i = 0; i < count; i++) {
        gradients[i] += factor * parameters[i];
      }
    }
  }

  void addToUpdates(
      float[] parameters, float[] updates, int count, double rate, Progress progress) {
    if (!decay.none()) {
      float factor = (float) (progress.at(decay) * (decayTimesRate ? rate : 1));
      for (int i = 0; i < count; i++) {
        updates[i] += factor * parameters[i];
      }
    }
  }
}
