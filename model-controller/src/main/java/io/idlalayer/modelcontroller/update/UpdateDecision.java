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

  /**
   * The numbers behind a decision. Times are nanoseconds of the controller's clock.
   *
   * @param rule name of the rule, as in the application file
   * @param reason a sentence for people: what decided, including a hard limit if one did
   * @param pending samples waiting, this decision's included
   * @param regretSampleSeconds waiting that one earlier update would have saved
   * @param thresholdSampleSeconds regret at which the rule fires; 0 for rules without one
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
      long nextFiringNanos) {
    /** No firing is in sight. */
    public static final long NEVER = Long.MAX_VALUE;
  }
}
