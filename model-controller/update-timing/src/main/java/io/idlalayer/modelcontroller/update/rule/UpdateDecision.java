package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import org.jspecify.annotations.Nullable;

/** The decision of an update controller, with its reasons. */
public sealed interface UpdateDecision {
  /** Returns the reasons. */
  Explanation explanation();

  /** A decision to wait: there is nothing to do before {@link Explanation#nextFiringNanos()}. */
  record Wait(Explanation explanation) implements UpdateDecision {}

  /**
   * A decision to train now.
   *
   * @param samples number of the oldest pending samples to train as new samples; at least 1
   */
  record Train(int samples, Explanation explanation) implements UpdateDecision {}

  /**
   * A decision to abort the running training in favor of a larger one; the caller then calls {@code
   * UpdateController.trainingAborted}, which returns the next decision.
   */
  record Restart(Explanation explanation) implements UpdateDecision {}

  /**
   * The reason for a decision, in words and numbers. Times are nanoseconds of the controller's
   * clock.
   *
   * @param rule name of the rule, as in the application file
   * @param reason a readable sentence that gives the cause of the decision; if a hard limit was the
   *     cause, the sentence names the limit
   * @param pending number of waiting samples, including the samples of this decision
   * @param charge cost of waiting that the rule compared with its threshold
   * @param predicted duration of the training, replay included
   * @param basis the costs with which the rule has weighed waiting against training
   * @param guarantee how near the cost of the schedule is to the lowest possible cost
   * @param nextFiringNanos when the rule fires if nothing else arrives; {@link #NEVER} if the rule
   *     does not fire
   */
  record Explanation(
      String rule,
      String reason,
      int pending,
      Charge charge,
      PredictedSeconds predicted,
      CostBasis basis,
      Guarantee guarantee,
      long nextFiringNanos) {
    /** The value of {@code nextFiringNanos} if the rule does not fire until something arrives. */
    public static final long NEVER = Long.MAX_VALUE;
  }

  /**
   * The charge of a rule for the waiting samples.
   *
   * @param sampleSeconds cost of waiting so far, as the rule computes it; for rules that ignore
   *     costs, the largest regret
   * @param thresholdSampleSeconds charge at which the rule fires; 0 for rules without a threshold
   * @param virtualWaitingSampleSeconds waiting W in virtual time, independent of the rule
   */
  record Charge(
      double sampleSeconds, double thresholdSampleSeconds, double virtualWaitingSampleSeconds) {}

  /**
   * The costs on which a decision is based.
   *
   * @param costs costs that the rule used, with the weight divided by the urgency
   * @param overheadSeconds part of the fixed seconds that is not training: overhead of an update in
   *     processor seconds; null in events of older jobs
   * @param urgency factor by which the cost of waiting is multiplied because of a drift; 1 without
   *     a drift
   */
  record CostBasis(RuleCosts costs, @Nullable Double overheadSeconds, double urgency) {
    /** Returns the overhead of an update in processor seconds; 0 if it is absent. */
    public double overhead() {
      return overheadSeconds == null ? 0 : overheadSeconds;
    }
  }

  /**
   * The certified ratio of the schedule's cost to the lowest possible cost.
   *
   * @param certifiedRatio the cost of this schedule so far is at most this many times the lowest
   *     possible cost, by the estimated costs; 1 is the optimum
   * @param guardDenials how often the guard of {@code adaptive} changed the time of an update to
   *     keep the bound
   * @param delayedUpdates number of updates that had to wait for the end of a running update
   */
  record Guarantee(double certifiedRatio, long guardDenials, long delayedUpdates) {}
}
