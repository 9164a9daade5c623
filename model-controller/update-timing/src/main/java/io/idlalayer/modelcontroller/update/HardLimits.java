package io.idlalayer.modelcontroller.update;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;

/** The limits of update times, which take precedence over the decision of a rule. */
final class HardLimits {
  private final Limits limits;
  private final long minIntervalNanos;

  HardLimits(Limits limits) {
    this.limits = limits;
    minIntervalNanos =
        (long) Math.min(Long.MAX_VALUE / 4.0, limits.minIntervalSeconds() * Nanos.PER_SECOND);
  }

  int maxBatch() {
    return limits.maxBatch();
  }

  /**
   * Returns the latest time at which the next update starts: now if the largest batch waits, else
   * when the oldest sample has waited for the longest permitted time.
   */
  long latestNanos(PendingQueue pending, long nowNanos) {
    if (pending.size() >= limits.maxBatch()) {
      return nowNanos;
    }
    return limits.maxWaitSeconds() > 0 ? pending.nanos(limits.maxWaitSeconds()) : UpdateRule.NEVER;
  }

  /**
   * Returns the earliest time at which the next update is allowed to start, given the start of the
   * last one.
   */
  long earliestNanos(long startedNanos) {
    return startedNanos + minIntervalNanos;
  }

  /**
   * Returns whether an update that the rule wanted had to wait for the least interval after the
   * last one.
   */
  boolean heldBack(long ruleNanos, long startedNanos) {
    return minIntervalNanos > 0 && ruleNanos < earliestNanos(startedNanos);
  }

  /** Returns the sentence that says which limit makes an update due. */
  String reason(PendingQueue pending) {
    return pending.size() >= limits.maxBatch()
        ? "hard limit: %d samples wait, update.max-batch is %d"
            .formatted(pending.size(), limits.maxBatch())
        : "hard limit: the oldest sample waited update.max-wait";
  }
}
