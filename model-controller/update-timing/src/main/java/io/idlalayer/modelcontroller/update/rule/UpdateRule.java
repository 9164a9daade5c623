package io.idlalayer.modelcontroller.update.rule;

/**
 * Decides when waiting costs more than an update. A rule only watches: its driver owns the pending
 * queue and the trainer. Times are nanoseconds of one clock that does not go back. Confined to one
 * thread.
 */
public interface UpdateRule {
  /** No firing in sight. */
  long NEVER = UpdateDecision.Explanation.NEVER;

  /** {@code count} samples were just added at the end of the queue, at {@code nowNanos}. */
  void arrived(PendingQueue pending, long nowNanos, int count);

  /**
   * Starts over with the samples that wait and new costs: after an update has started, a training
   * or a restart. O(pending runs).
   */
  void rearm(PendingQueue pending, RuleCosts costs, long nowNanos);

  /** The oldest samples are about to leave the queue for an update; {@link #rearm} follows. */
  default void updateStarted(PendingQueue pending, int samples, long nowNanos) {}

  /**
   * Returns when the rule fires if nothing else arrives; a time that is not after now means now.
   * Exact.
   */
  long nextFiringNanos(PendingQueue pending);

  /**
   * Returns how many of the oldest samples an update at this time takes, at least 1 of a filled
   * queue.
   */
  default int batchSize(PendingQueue pending, long nowNanos) {
    return pending.size();
  }

  /**
   * Returns whether the running training should be given up and started again with everything that
   * came since.
   *
   * @param inTraining new samples in training
   * @param startedNanos when it started
   */
  default boolean restarts(PendingQueue pending, int inTraining, long startedNanos, long nowNanos) {
    return false;
  }

  /**
   * Returns what waiting has cost so far, in sample-seconds; compared with {@link #threshold()}.
   */
  default double charge(PendingQueue pending, long nowNanos) {
    return 0;
  }

  /** Charge at which the rule fires; 0 for rules that do not weigh. */
  default double threshold() {
    return 0;
  }

  /** Returns how often a guard has held it to its bound. */
  default long denials() {
    return 0;
  }

  /** Returns a readable reason why the rule fires now. */
  String firing(PendingQueue pending, long nowNanos);

  /** Returns a readable reason why the rule does not fire. */
  String waiting();

  /**
   * Returns the state that it has learned beyond the waiting samples and the costs; empty if there
   * is none.
   */
  default byte[] snapshot() {
    return new byte[0];
  }

  /**
   * Goes on from a snapshot that is not empty; {@link #rearm} must follow.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if it is no such snapshot
   */
  default void restore(byte[] snapshot) {}
}
