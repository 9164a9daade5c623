package io.idlalayer.modelcontroller.update;

import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import java.nio.ByteBuffer;

/**
 * Keeps the exact optimum of everything that has arrived beside what was paid, so that at any
 * moment it can be said: this schedule is at most x times the best possible so far (update-timing,
 * section 7). Not thread-safe.
 *
 * <p>The costs of an epoch are frozen. When the estimates have moved by more than a tenth, a new
 * epoch begins; an update that served both is then counted in neither optimum: J* of the whole is
 * at least the sum of the epochs' optima less one C for every change. The ratio is exact for
 * trainings that may overlap and an upper bound on one machine.
 */
public final class Certificate {
  private static final byte VERSION = 1;
  private static final double SAME = 0.1;

  private RuleCosts costs;
  private OverlapOptimum optimum;

  // Closed epochs.
  private double closedOptimum;
  private double closedUnavoidable;
  private long closedSamples;

  // Controllable cost of the updates so far, by the rule's costs, and what was paid beyond it.
  private double committed;
  private double beyond;
  private double lastCommit;
  private double roomBefore;
  private boolean started;

  /** A certificate for a stream that has not begun. */
  public Certificate(RuleCosts costs) {
    this.costs = costs;
    optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
  }

  /** Takes new costs; a tenth more or less leaves the epoch as it is. */
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
    return Math.abs(a - b) <= SAME * Math.max(a, b);
  }

  private void close() {
    if (optimum.samples() > 0) {
      closedOptimum += Math.max(0, optimum.cost() - costs.updateCost());
      closedUnavoidable += optimum.samples() * costs.unavoidable();
      closedSamples += optimum.samples();
    }
  }

  /** Samples have arrived. */
  public void arrived(long nanos, int count) {
    started = true;
    roomBefore = optimum() - costs.updateCost() + unavoidable();
    optimum.arrived(nanos, count);
  }

  /** The oldest samples are about to leave the queue for an update. O(runs of the batch). */
  public void committed(PendingQueue pending, int samples, long nowNanos) {
    double waits = 0;
    int left = samples;
    for (int run = 0; left > 0; run++) {
      int taken = Math.min(left, pending.count(run));
      waits += taken * ((nowNanos - pending.timeNanos(run)) / 1e9);
      left -= taken;
    }
    lastCommit = costs.updateCost() + costs.waiting(samples, waits);
    committed += lastCommit;
  }

  /** The last update failed; its samples wait again. */
  public void reverted() {
    committed -= lastCommit;
    lastCommit = 0;
  }

  /** The machine or a sample cost more (or less) than the rule's costs said. */
  public void paidBeyond(double sampleSeconds) {
    beyond += sampleSeconds;
  }

  /** V: the cheapest controllable cost of everything that has arrived; a lower bound. */
  public double optimum() {
    return closedOptimum + optimum.cost();
  }

  /** The part of the cost that no schedule can change. */
  public double unavoidable() {
    return closedUnavoidable + optimum.samples() * costs.unavoidable();
  }

  /** Controllable cost of the updates so far. */
  public double committed() {
    return committed;
  }

  /** Samples that have arrived. */
  public long samples() {
    return closedSamples + optimum.samples();
  }

  /**
   * Most waiting of the group at hand with which a commit now keeps the whole schedule within
   * {@code rho} times the optimum: the guard A + C + W + kappa*n &lt;= rho*(V - C + kappa*n).
   */
  double room(double rho) {
    double least = optimum() - costs.updateCost() + unavoidable();
    return rho * least - committed - costs.updateCost() - unavoidable();
  }

  /** The same before the samples of the latest call of {@link #arrived}; it allows less. */
  double roomBefore(double rho) {
    return rho * roomBefore - committed - costs.updateCost() - unavoidable();
  }

  /**
   * What the schedule is at most, in best possible schedules so far, if what waits were trained
   * now; 1 before the first sample.
   *
   * @param samples how many wait
   * @param waits sum of their waits so far, in seconds
   */
  public double ratio(int samples, double waits) {
    double best = optimum() + unavoidable();
    if (!started || best <= 0) {
      return 1;
    }
    double open = samples == 0 ? 0 : costs.updateCost() + costs.waiting(samples, waits);
    return Math.max(1, (committed + beyond + open + unavoidable()) / best);
  }

  /** The sums; what waits is taken up again as it is. */
  byte[] snapshot() {
    return ByteBuffer.allocate(1 + 6 * 8)
        .put(VERSION)
        .putDouble(optimum.samples() == 0 ? closedOptimum : closedOptimum + newEpochOptimum())
        .putDouble(unavoidable())
        .putLong(samples())
        .putDouble(committed)
        .putDouble(beyond)
        .putDouble(lastCommit)
        .array();
  }

  private double newEpochOptimum() {
    return Math.max(0, optimum.cost() - costs.updateCost());
  }

  /** Takes {@link #snapshot()} back: everything before is a closed epoch. */
  void restore(byte[] snapshot) {
    ByteBuffer in = ByteBuffer.wrap(snapshot);
    byte version = in.get();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "certificate snapshot has version %d, this program reads %d".formatted(version, VERSION));
    }
    closedOptimum = in.getDouble();
    closedUnavoidable = in.getDouble();
    closedSamples = in.getLong();
    committed = in.getDouble();
    beyond = in.getDouble();
    lastCommit = in.getDouble();
    started = closedSamples > 0;
    optimum = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
  }
}
