package io.idlalayer.modelcontroller.update;

/**
 * Decides when waiting has become dearer than an update. A rule only watches: the controller owns
 * the pending queue and the trainer. Confined to one thread.
 */
interface UpdateRule {
  /** No firing in sight. */
  long NEVER = UpdateDecision.Explanation.NEVER;

  /** {@code count} samples were just added at the end of the queue, at {@code nowNanos}. O(1). */
  void arrived(PendingQueue pending, long nowNanos, int count);

  /**
   * Starts over with the samples that wait and new costs: after a commit, a training or a restart.
   * O(pending runs).
   */
  void rearm(PendingQueue pending, RuleCosts costs, long nowNanos);

  /** A group was just committed; {@link #rearm} follows. */
  default void committed(long nowNanos) {}

  /**
   * What the rule remembers beyond the waiting samples and the costs; {@link #NEVER} if nothing.
   */
  default long phaseNanos() {
    return NEVER;
  }

  /** Takes {@link #phaseNanos()} back; {@link #rearm} follows. */
  default void restorePhase(long phaseNanos) {}

  /** When the rule fires if nothing else arrives; a moment not after now means now. Exact. */
  long nextFiringNanos(PendingQueue pending);

  /** How many of the oldest samples a commit at this moment takes, at least 1 of a filled queue. */
  default int batchSize(PendingQueue pending, long nowNanos) {
    return pending.size();
  }

  /** What waiting has cost so far, in sample-seconds; compared with {@link #threshold()}. */
  double charge(PendingQueue pending, long nowNanos);

  /** Charge at which the rule fires; 0 for rules that do not weigh. */
  double threshold();
}
