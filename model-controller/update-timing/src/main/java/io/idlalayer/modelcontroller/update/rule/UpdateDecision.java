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
   * Train now.
   *
   * @param samples how many of the oldest pending samples to train as new; at least 1
   */
  record Train(int samples, Explanation explanation) implements UpdateDecision {}

  /**
   * A decision to abort the running training in favor of a larger one; the caller then calls {@code
   * UpdateController.trainingAborted}, which says what follows.
   */
  record Restart(Explanation explanation) implements UpdateDecision {}

  /**
   * The reason for a decision, in words and numbers. Times are nanoseconds of the controller's
   * clock.
   *
   * @param rule name of the rule, as in the application file
   * @param reason a readable sentence that says what decided; it names the hard limit if one did
   * @param pending samples waiting, this decision's included
   * @param charge what the rule weighed
   * @param predicted duration of the training, replay included
   * @param basis the costs with which the rule has weighed waiting against training
   * @param guarantee how near the schedule is to the best possible one
   * @param nextFiringNanos when the rule fires if nothing else arrives; {@link #NEVER} if it does
   *     not
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
    /** No firing is in sight. */
    public static final long NEVER = Long.MAX_VALUE;
  }

  /**
   * The charge of a rule for the waiting samples.
   *
   * @param sampleSeconds charged so far; for rules that do not weigh, the largest regret of a split
   * @param thresholdSampleSeconds charge at which the rule fires; 0 for rules without one
   * @param virtualWaitingSampleSeconds what waiting has cost in virtual time, whatever the rule
   *     charges
   */
  record Charge(
      double sampleSeconds, double thresholdSampleSeconds, double virtualWaitingSampleSeconds) {}

  /**
   * The costs on which a decision is based.
   *
   * @param costs costs as charged, with the weight divided by the urgency
   * @param overheadSeconds part of the fixed seconds that is not training: what an update costs
   *     beside it, processor seconds; absent in events of older jobs
   * @param urgency factor by which waiting is charged more because of a drift; 1 is normal
   */
  record CostBasis(RuleCosts costs, @Nullable Double overheadSeconds, double urgency) {
    /** Returns what an update costs beside its training in processor seconds; 0 if it is absent. */
    public double overhead() {
      return overheadSeconds == null ? 0 : overheadSeconds;
    }
  }

  /**
   * The certified ratio of the schedule's cost to the lowest possible cost.
   *
   * @param certifiedRatio this schedule costs at most this many times the best possible so far, by
   *     the costs as estimated; 1 is perfect
   * @param guardDenials how often {@code adaptive} was held to its bound
   * @param delayedUpdates updates that had to wait for a running one
   */
  record Guarantee(double certifiedRatio, long guardDenials, long delayedUpdates) {}
}
