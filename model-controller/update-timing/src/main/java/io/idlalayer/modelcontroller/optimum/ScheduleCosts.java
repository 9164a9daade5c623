package io.idlalayer.modelcontroller.optimum;

import java.io.Serializable;

/**
 * The parameters of the cost of a schedule of updates. The cost of a schedule is J = sum of
 * latencies + weight * machine time, where an update of s samples takes {@code secondsPerSample * s
 * + fixedSeconds}.
 *
 * @param secondsPerSample lambda, at least 0
 * @param fixedSeconds epsilon, at least 0
 * @param weight w: one second of training costs as much as one second of waiting of this many
 *     samples; at least 0
 */
public record ScheduleCosts(double secondsPerSample, double fixedSeconds, double weight)
    implements Serializable {

  public ScheduleCosts {
    if (!(secondsPerSample >= 0) || !(fixedSeconds >= 0) || !(weight >= 0)) {
      throw new IllegalArgumentException(
          "lambda=%s s, epsilon=%s s and weight=%s must not be negative"
              .formatted(secondsPerSample, fixedSeconds, weight));
    }
  }

  /** Returns the cost of one more update, C = w * eps, in sample-seconds. */
  public double updateCost() {
    return weight * fixedSeconds;
  }

  /**
   * Returns the part of a sample's cost that no schedule can change: kappa = lambda + eps + w *
   * lambda, in sample-seconds.
   */
  public double unavoidable() {
    return secondsPerSample + fixedSeconds + weight * secondsPerSample;
  }

  /** Returns the duration of an update of {@code samples} samples, in seconds. */
  public double seconds(long samples) {
    return secondsPerSample * samples + fixedSeconds;
  }
}
