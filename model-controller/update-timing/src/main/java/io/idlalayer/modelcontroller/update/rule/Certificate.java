package io.idlalayer.modelcontroller.update.rule;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.modelcontroller.optimum.OverlapOptimum;

/**
 * Certifies at any time how good the schedule so far is: the cost of the schedule is at most x
 * times the cost of the cheapest possible schedule. For this purpose, the certificate computes the
 * exact optimum for all arrivals and the cost paid so far. The package's description defines V, A
 * and kappa. Not thread-safe.
 *
 * <p>The costs of an epoch are frozen. When an estimate has changed by more than a tenth, a new
 * epoch begins. One update of the optimum can train samples of two epochs, so J* of the whole
 * stream is at least the sum of the epochs' optima minus one C for each change of epoch. The
 * certified ratio is exact if trainings can overlap, and an upper bound on one machine.
 */
public final class Certificate {
  private static final StateFormat FORMAT = StateFormat.first("certificate");

  /**
   * Largest relative change of the costs with which the epoch continues. Each new epoch makes the
   * bound weaker by one C.
   */
  private static final double SAME_COSTS = 0.1;

  private RuleCosts costs;
  private OverlapOptimum optimum;

  // Closed epochs.
  private double closedOptimum;
  private double closedUnavoidable;
  private long closedSamples;

  // Controllable cost of the updates so far by the rule's costs, and the cost paid in addition to
  // the rule's costs.
  private double paid;
  private double beyond;
  private double paidLast;
  private double leastBeforeArrivals;
  private boolean started;

  /** Creates a certificate for a stream without arrivals. */
  public Certificate(RuleCosts costs) {
    this.costs = costs;
    optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
  }

  /** Sets the costs from now on; a change of less than a tenth leaves the epoch unchanged. */
  public void costs(RuleCosts now) {
    if (same(now.updateCost(), costs.updateCost())
        && same(now.secondsPerSample(), costs.secondsPerSample())) {
      return;
    }
    close();
    costs = now;
    optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
  }

  private static boolean same(double a, double b) {
    return Math.abs(a - b) <= SAME_COSTS * Math.max(a, b);
  }

  private void close() {
    if (optimum.samples() > 0) {
      closedOptimum += Math.max(0, optimum.cost() - costs.updateCost());
      closedUnavoidable += optimum.samples() * costs.unavoidable();
      closedSamples += optimum.samples();
    }
  }

  /** Adds arrivals at one time. */
  public void arrived(long nanos, int count) {
    started = true;
    leastBeforeArrivals = leastPaid();
    optimum.arrived(nanos, count);
  }

  /**
   * Adds the cost of an update of the oldest samples, which are still in the queue. O(runs of the
   * batch).
   */
  public void updateStarted(PendingQueue pending, int samples, long nowNanos) {
    double waits = 0;
    int left = samples;
    for (int run = 0; left > 0; run++) {
      int taken = Math.min(left, pending.count(run));
      waits += taken * Nanos.toSeconds(nowNanos - pending.timeNanos(run));
      left -= taken;
    }
    paidLast = costs.updateCost() + costs.waiting(samples, waits);
    paid += paidLast;
  }

  /** Takes back the cost of the last update, which failed; its samples wait again. */
  public void reverted() {
    paid -= paidLast;
    paidLast = 0;
  }

  /**
   * Adds the difference between the true cost of an update or a sample and the rule's costs; the
   * difference can be negative.
   */
  public void paidBeyond(double sampleSeconds) {
    beyond += sampleSeconds;
  }

  /**
   * Returns V, the part of the lowest possible cost of all arrivals that depends on the schedule,
   * in sample-seconds. On one machine this is a lower bound.
   */
  public double optimum() {
    return closedOptimum + optimum.cost();
  }

  /** Returns the part of the cost that no schedule can change. */
  public double unavoidable() {
    return closedUnavoidable + optimum.samples() * costs.unavoidable();
  }

  /** Returns the number of samples that have arrived. */
  public long samples() {
    return closedSamples + optimum.samples();
  }

  /**
   * Returns the largest waiting W of the group with which an update now keeps the whole schedule
   * within {@code rho} times the optimum: A + C + W + kappa * n &lt;= rho * (V - C + kappa * n).
   */
  public double slack(double rho) {
    return rho * leastPaid() - paid - costs.updateCost() - unavoidable();
  }

  /**
   * Returns the slack computed with the optimum as of before the latest call of {@link #arrived}.
   * It is smaller than {@link #slack}.
   */
  public double slackBeforeArrivals(double rho) {
    return rho * leastBeforeArrivals - paid - costs.updateCost() - unavoidable();
  }

  /**
   * Returns the lowest cost that any schedule has paid by now. One more update would complete every
   * such schedule.
   */
  private double leastPaid() {
    return optimum() - costs.updateCost() + unavoidable();
  }

  /**
   * Returns the certified ratio for the case that the waiting samples are trained now: the cost of
   * the schedule is at most this many times the lowest possible cost. The ratio is 1 before the
   * first sample.
   *
   * @param samples number of waiting samples
   * @param waits sum of their waits so far, in seconds
   */
  public double ratio(int samples, double waits) {
    double best = optimum() + unavoidable();
    if (!started || best <= 0) {
      return 1;
    }
    double open = samples == 0 ? 0 : costs.updateCost() + costs.waiting(samples, waits);
    return Math.max(1, (paid + beyond + open + unavoidable()) / best);
  }

  /** Returns the sums as bytes for {@link #restore}, without the waiting samples. */
  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putDouble(1, optimum.samples() == 0 ? closedOptimum : closedOptimum + newEpochOptimum())
        .putDouble(2, unavoidable())
        .putLong(3, samples())
        .putDouble(4, paid)
        .putDouble(5, beyond)
        .putDouble(6, paidLast)
        .bytes();
  }

  private double newEpochOptimum() {
    return Math.max(0, optimum.cost() - costs.updateCost());
  }

  /** Restores the sums from a snapshot; all earlier arrivals then belong to a closed epoch. */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    closedOptimum = in.getDouble(1);
    closedUnavoidable = in.getDouble(2);
    closedSamples = in.getLong(3);
    paid = in.getDouble(4);
    beyond = in.getDouble(5);
    paidLast = in.getDouble(6);
    started = closedSamples > 0;
    optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
  }
}
