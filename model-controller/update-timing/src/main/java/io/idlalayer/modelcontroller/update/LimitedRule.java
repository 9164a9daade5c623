package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;

/**
 * Applies the hard limits to a rule in simulations. In a job {@link UpdateController} does this,
 * but simulations have no controller.
 */
public final class LimitedRule implements UpdateRule {
  /** A time before all others, small enough that adding an interval to it cannot overflow. */
  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  private final UpdateRule rule;
  private final HardLimits limits;
  private long nowNanos;
  private long startedNanos = LONG_AGO;

  public LimitedRule(UpdateRule rule, Limits limits) {
    this.rule = rule;
    this.limits = new HardLimits(limits);
  }

  @Override
  public void arrived(PendingQueue pending, long atNanos, int count) {
    nowNanos = atNanos;
    rule.arrived(pending, atNanos, count);
  }

  @Override
  public void rearm(PendingQueue pending, RuleCosts costs, long atNanos) {
    nowNanos = atNanos;
    rule.rearm(pending, costs, atNanos);
  }

  @Override
  public void updateStarted(PendingQueue pending, int samples, long atNanos) {
    nowNanos = atNanos;
    startedNanos = atNanos;
    rule.updateStarted(pending, samples, atNanos);
  }

  @Override
  public long nextFiringNanos(PendingQueue pending) {
    if (pending.isEmpty()) {
      return NEVER;
    }
    long next = Math.min(rule.nextFiringNanos(pending), limits.latestNanos(pending, nowNanos));
    return Math.max(next, limits.earliestNanos(startedNanos));
  }

  @Override
  public int batchSize(PendingQueue pending, long atNanos) {
    boolean byRule = rule.nextFiringNanos(pending) <= atNanos;
    return Math.min(byRule ? rule.batchSize(pending, atNanos) : pending.size(), limits.maxBatch());
  }

  @Override
  public boolean restarts(PendingQueue pending, int inTraining, long beganNanos, long atNanos) {
    return inTraining + pending.size() <= limits.maxBatch()
        && rule.restarts(pending, inTraining, beganNanos, atNanos);
  }

  @Override
  public double charge(PendingQueue pending, long atNanos) {
    return rule.charge(pending, atNanos);
  }

  @Override
  public double threshold() {
    return rule.threshold();
  }

  @Override
  public long denials() {
    return rule.denials();
  }

  @Override
  public String firing(PendingQueue pending, long atNanos) {
    return rule.nextFiringNanos(pending) <= atNanos
        ? rule.firing(pending, atNanos)
        : limits.reason(pending);
  }

  @Override
  public String waiting() {
    return rule.waiting();
  }

  @Override
  public byte[] snapshot() {
    return rule.snapshot();
  }

  @Override
  public void restore(byte[] snapshot) {
    rule.restore(snapshot);
  }
}
