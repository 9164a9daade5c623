package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.Nanos;

/**
 * The speculative best effort of Tian 2018: trains whenever the machine is free, and restarts a
 * running training with all samples that have arrived since its start, if the restart lowers the
 * cost. A training of D samples that started delta seconds ago is restarted with B new ones when
 * B*eps >= 2*(lambda*D*B + delta*(D + B)). The rule has no finite competitive ratio.
 */
public final class SpeculativeRule extends BaselineRules.BestEffort {
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
