package io.idlalayer.modelcontroller.update.rule;

/**
 * Decides when an update is due because waiting costs more than training. A rule only observes: its
 * caller owns the pending queue and the trainer. Times are nanoseconds of one clock that does not
 * go back. Confined to one thread.
 */
public interface UpdateRule {
  /**
   * Time that {@link #nextFiringNanos} returns if the rule does not fire until something arrives.
   */
  long NEVER = UpdateDecision.Explanation.NEVER;

  /**
   * Tells the rule that {@code count} samples were just added at the end of the queue, at {@code
   * nowNanos}.
   */
  void arrived(PendingQueue pending, long nowNanos, int count);

  /**
   * Starts over with the waiting samples and new costs. The caller calls this method after the
   * start of an update, after a training, and after a restart of the process. O(pending runs).
   */
  void rearm(PendingQueue pending, RuleCosts costs, long nowNanos);

  /**
   * Tells the rule that the oldest samples are about to leave the queue for an update; {@link
   * #rearm} follows.
   */
  default void updateStarted(PendingQueue pending, int samples, long nowNanos) {}

  /**
   * Returns the time at which the rule fires if nothing else arrives; a time in the past means now.
   * The time is exact.
   */
  long nextFiringNanos(PendingQueue pending);

  /**
   * Returns the number of the oldest samples that an update at this time trains; at least 1 if
   * samples wait.
   */
  default int batchSize(PendingQueue pending, long nowNanos) {
    return pending.size();
  }

  /**
   * Returns whether to abort the running training and start a training that also has all samples
   * that have arrived since then.
   *
   * @param inTraining number of new samples in the running training
   * @param startedNanos when the running training started
   */
  default boolean restarts(PendingQueue pending, int inTraining, long startedNanos, long nowNanos) {
    return false;
  }

  /**
   * Returns the cost of waiting so far, in sample-seconds, which is compared with {@link
   * #threshold()}.
   */
  default double charge(PendingQueue pending, long nowNanos) {
    return 0;
  }

  /**
   * Returns the charge at which the rule fires, in sample-seconds; 0 for rules that ignore costs.
   */
  default double threshold() {
    return 0;
  }

  /**
   * Returns how often the guard of the rule has changed the time of an update to keep the bound.
   */
  default long denials() {
    return 0;
  }

  /** Returns the reason why the rule fires now, in words. */
  String firing(PendingQueue pending, long nowNanos);

  /** Returns the reason why the rule does not fire now, in words. */
  String waiting();

  /**
   * Returns what the rule has learned, without the waiting samples and the costs, as bytes for
   * {@link #restore}; empty if it has learned nothing.
   */
  default byte[] snapshot() {
    return new byte[0];
  }

  /**
   * Restores what a rule has learned from a snapshot that is not empty; {@link #rearm} must follow.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this rule
   */
  default void restore(byte[] snapshot) {}
}
