package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;

/**
 * The costs that a rule compares, which do not change between two trainings.
 *
 * @param secondsPerSample lambda: seconds that one more sample adds to a training
 * @param fixedSeconds eps' = eps + lambda * R + overhead: seconds that one more update adds, with R
 *     replayed samples and the overhead of the update
 * @param weight w: one second of training costs as much as one second of waiting of this many
 *     samples
 */
public record RuleCosts(double secondsPerSample, double fixedSeconds, double weight) {
  /** Returns the true costs of a schedule as the costs of a rule. */
  public static RuleCosts of(ScheduleCosts costs) {
    return new RuleCosts(costs.secondsPerSample(), costs.fixedSeconds(), costs.weight());
  }

  /** Returns C = w * eps', the cost of one more update in sample-seconds. */
  public double updateCost() {
    return weight * fixedSeconds;
  }

  /** Returns kappa, the part of a sample's cost that no schedule can change, in sample-seconds. */
  public double unavoidable() {
    return secondsPerSample + fixedSeconds + weight * secondsPerSample;
  }

  /** Returns the waiting of one group in virtual time: W = sum (t - a_k) + lambda*s*(s-1). */
  public double waiting(double samples, double sumOfWaits) {
    return sumOfWaits + secondsPerSample * samples * (samples - 1);
  }
}
