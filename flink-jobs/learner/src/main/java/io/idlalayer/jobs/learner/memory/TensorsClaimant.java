package io.idlalayer.jobs.learner.memory;

import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.budget.BenefitCurve;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import java.util.List;

/**
 * The tensors of trainings. The desk that plans steps rehearses how long a step takes with other
 * sizes of fast memory. These durations are corrected by the measured duration with the present
 * size. As long as no duration is known, the number of bytes does not change.
 */
public final class TensorsClaimant implements Claimant {
  /** Bounds of the correction of rehearsed durations by the measured one. */
  private static final double LEAST_CORRECTION = 0.25;

  private static final double MOST_CORRECTION = 4;
  private static final double NANOS_PER_SECOND = 1e9;

  private final TensorGrant grant;
  private final FastBudget budget;
  private final RecentRate steps = new RecentRate();
  private long knownSteps;
  private long askedBytes;

  public TensorsClaimant(TensorGrant grant, FastBudget budget) {
    this.grant = grant;
    this.budget = budget;
    grant.askCosts();
  }

  @Override
  public FastUse use() {
    return FastUse.TENSORS;
  }

  @Override
  public long leastBytes() {
    return Math.max(budget.leastBytes(), grant.leastBytes());
  }

  @Override
  public Claim claim(double seconds, long nowBytes) {
    StepCosts costs = grant.costs().orElse(null);
    grant.askCosts();
    long all = costs == null ? 0 : costs.steps();
    // The statistics of a newly opened memory begin at 0.
    steps.add((double) (all < knownSteps ? all : all - knownSteps), seconds);
    knownSteps = all;
    if (costs == null || !costs.complete() || grant.inTurns()) {
      return new Claim(use(), nowBytes, nowBytes, BenefitCurve.none(), Claim.Form.STEPS);
    }
    return new Claim(
        use(),
        leastBytes(),
        Math.max(leastBytes(), budget.mostBytes()),
        curve(costs, steps.perSecond()),
        Claim.Form.STEPS);
  }

  /** Returns how much time each size saves compared with the smallest size. */
  private static BenefitCurve curve(StepCosts costs, double stepsPerSecond) {
    List<StepCosts.Point> points = costs.points();
    StepCosts.Point here = points.get(0);
    for (StepCosts.Point point : points) {
      here = point.bytes() <= costs.budgetBytes() ? point : here;
    }
    double correction =
        Math.max(
            LEAST_CORRECTION,
            Math.min(MOST_CORRECTION, (double) costs.measuredNanos() / here.nanos()));
    long[] bytes = new long[points.size()];
    double[] saved = new double[points.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = points.get(i).bytes();
      double nanos = (double) points.get(0).nanos() - points.get(i).nanos();
      saved[i] = stepsPerSecond * correction * nanos / NANOS_PER_SECOND;
    }
    return new BenefitCurve(bytes, saved);
  }

  @Override
  public Change resize(long bytes) {
    long whole = TensorGrant.rounded(bytes);
    if (askedBytes != whole) {
      askedBytes = whole;
      grant.want(whole);
    }
    if (grant.heldBytes() == whole) {
      return Change.DONE;
    }
    return refusal().isEmpty() ? Change.WAITS : Change.REFUSED;
  }

  @Override
  public String refusal() {
    return grant.inTurns()
        ? "trainers of several learners take turns in this memory"
        : grant.refusal();
  }

  @Override
  public double changeSeconds() {
    return grant.seconds();
  }
}
