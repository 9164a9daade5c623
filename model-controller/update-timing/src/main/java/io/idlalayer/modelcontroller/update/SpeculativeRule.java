package io.idlalayer.modelcontroller.update;

import io.idlalayer.middleware.primitive.Nanos;

/**
 * The speculative best effort of Tian 2018: trains whenever the machine is free, and gives a
 * running training of D samples up for one of D + B samples when B have come since and B*eps >=
 * 2*(lambda*D*B + delta*(D + B)), delta seconds after it started. No finite competitive ratio.
 */
final class SpeculativeRule extends BaselineRules.BestEffort {
  private double lambda;
  private double fixedSeconds;

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long nowNanos) {
    lambda = costs.secondsPerSample();
    fixedSeconds = costs.fixedSeconds();
  }

  @Override
  public boolean restarts(PendingQueue pending, int inTraining, long startedNanos, long nowNanos) {
    double running = inTraining;
    double since = pending.size();
    double delta = Nanos.toSeconds(nowNanos - startedNanos);
    return since > 0
        && since * fixedSeconds >= 2 * (lambda * running * since + delta * (running + since));
  }
}
