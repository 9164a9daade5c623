package io.idlalayer.modelcontroller.update;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;

/** Limits that hold whatever a rule says. */
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

  /** Returns the latest time at which an update fires. */
  long latestNanos(PendingQueue pending, long nowNanos) {
    if (pending.size() >= limits.maxBatch()) {
      return nowNanos;
    }
    return limits.maxWaitSeconds() > 0 ? pending.nanos(limits.maxWaitSeconds()) : UpdateRule.NEVER;
  }

  /** Returns the time before which no update starts, given when the last one did. */
  long earliestNanos(long startedNanos) {
    return startedNanos + minIntervalNanos;
  }

  /** Returns whether a firing had to wait for the interval to end. */
  boolean heldBack(long ruleNanos, long startedNanos) {
    return minIntervalNanos > 0 && ruleNanos < earliestNanos(startedNanos);
  }

  /** Which limit asks for an update. */
  String reason(PendingQueue pending) {
    return pending.size() >= limits.maxBatch()
        ? "hard limit: %d samples wait, update.max-batch is %d"
            .formatted(pending.size(), limits.maxBatch())
        : "hard limit: the oldest sample waited update.max-wait";
  }
}
