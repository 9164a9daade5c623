package io.idlalayer.benchmarks.budget;

import io.idlalayer.jobs.learner.memory.Claimant;
import io.idlalayer.jobs.learner.memory.RecentRate;
import io.idlalayer.middleware.cache.budget.BenefitCurve;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;

/** Training steps that take longer with less fast memory, in steps, as rehearsed plans do. */
final class SimulatedTensors implements Claimant {
  /** A step with all tensors in DRAM, in seconds. */
  private static final double FAST_SECONDS = 0.02;

  /** Sizes of the fast memory, as shares of what all tensors take. */
  private static final double[] SHARES = {0.12, 0.2, 0.3, 0.45, 0.65, 0.85, 1};

  /** Durations of a step in these sizes; less is like the first one. */
  private static final double[] TIMES = {2.2, 1.6, 1.3, 1.12, 1.04, 1.01, 1};

  private static final double RELOAD_SECONDS = 0.1;

  private final BenefitCurve saved;
  private final long most;
  private final RecentRate rate = new RecentRate();
  private long bytes;
  private long steps;
  private long knownSteps;
  private boolean reloads;

  /**
   * @param wholeBytes what all tensors take
   */
  SimulatedTensors(long bytes, long wholeBytes, long mostBytes) {
    this.bytes = bytes;
    most = mostBytes;
    long[] sizes = new long[SHARES.length];
    double[] seconds = new double[SHARES.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = (long) (SHARES[i] * wholeBytes);
      seconds[i] = FAST_SECONDS * (TIMES[0] - TIMES[i]);
    }
    saved = new BenefitCurve(sizes, seconds);
  }

  private Claim claimOf(BenefitCurve curve) {
    return new Claim(use(), leastBytes(), most, curve, Claim.Form.STEPS);
  }

  /** Runs steps; returns the seconds that they take longer than with all tensors in DRAM. */
  double run(int count) {
    steps += count;
    double longer = FAST_SECONDS * (TIMES[0] - 1) - claimOf(saved).seconds(bytes);
    double reload = reloads ? RELOAD_SECONDS : 0;
    reloads = false;
    return count * longer + reload;
  }

  @Override
  public FastUse use() {
    return FastUse.TENSORS;
  }

  @Override
  public long leastBytes() {
    return most / 16;
  }

  @Override
  public Claim claim(double seconds, long nowBytes) {
    rate.add((double) (steps - knownSteps), seconds);
    knownSteps = steps;
    return claimOf(saved.times(rate.perSecond()));
  }

  @Override
  public Change resize(long to) {
    reloads |= to != bytes;
    bytes = to;
    return Change.DONE;
  }

  @Override
  public String refusal() {
    return "";
  }

  @Override
  public double changeSeconds() {
    return RELOAD_SECONDS;
  }
}
