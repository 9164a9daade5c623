package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;

/**
 * The costs that a rule weighs, which do not change between two trainings.
 *
 * @param secondsPerSample lambda: what one more sample adds to a training
 * @param fixedSeconds eps' = eps + lambda * R + overhead: what one more update adds, with R
 *     replayed samples and what it costs beside its training
 * @param weight w: samples that wait one second outweigh one second of training
 */
public record RuleCosts(double secondsPerSample, double fixedSeconds, double weight) {
  /** Returns costs by which a rule decides as if it knew the true costs of the schedule. */
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
