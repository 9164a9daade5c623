package io.idlalayer.modelcontroller.update;

/** What an update controller says, with its reasons. */
public sealed interface UpdateDecision {
  /** Why. */
  Explanation explanation();

  /** Nothing to do before {@link Explanation#nextFiringNanos()}. */
  record Wait(Explanation explanation) implements UpdateDecision {}

  /**
   * Train now.
   *
   * @param samples how many of the oldest pending samples to train as new; at least 1
   */
  record Train(int samples, Explanation explanation) implements UpdateDecision {}

  /** Give the running training up; {@link UpdateController#trainingAborted} says what follows. */
  record Restart(Explanation explanation) implements UpdateDecision {}

  /**
   * The numbers behind a decision. Times are nanoseconds of the controller's clock.
   *
   * @param rule name of the rule, as in the application file
   * @param reason a sentence for people: what decided, including a hard limit if one did
   * @param pending samples waiting, this decision's included
   * @param regretSampleSeconds what the rule has charged for waiting so far; largest regret of a
   *     split for rules that do not weigh
   * @param thresholdSampleSeconds charge at which the rule fires; 0 for rules without one
   * @param predictedSeconds predicted duration of the training, replay included
   * @param predictedSecondsLow lower end of its 95 % interval
   * @param predictedSecondsHigh upper end
   * @param nextFiringNanos when the rule fires if nothing else arrives; {@link #NEVER} if it will
   *     not
   */
  record Explanation(
      String rule,
      String reason,
      int pending,
      double regretSampleSeconds,
      double thresholdSampleSeconds,
      double predictedSeconds,
      double predictedSecondsLow,
      double predictedSecondsHigh,
      long nextFiringNanos,
      Facts facts) {
    /** No firing is in sight. */
    public static final long NEVER = Long.MAX_VALUE;
  }

  /**
   * What the decision rests on.
   *
   * @param certifiedRatio this schedule costs at most this many times the best possible so far, by
   *     the costs as estimated; 1 is perfect
   * @param waitingSampleSeconds what waiting of the present group has cost in virtual time
   * @param updateCost C = w * eps', in sample-seconds
   * @param secondsPerSample lambda as estimated
   * @param fixedSeconds eps' = eps + lambda * replayed, as estimated
   * @param weight w, divided by the urgency
   * @param urgency by how much a waiting sample is charged more because quality is being lost; 1 is
   *     normal
   * @param guardDenials how often {@code adaptive} was held to its bound
   * @param delayed updates that had to wait for a running one
   */
  record Facts(
      double certifiedRatio,
      double waitingSampleSeconds,
      double updateCost,
      double secondsPerSample,
      double fixedSeconds,
      double weight,
      double urgency,
      long guardDenials,
      long delayed) {
    /** Nothing known. */
    public static final Facts NONE = new Facts(1, 0, 0, 0, 0, 0, 1, 0, 0);
  }
}
