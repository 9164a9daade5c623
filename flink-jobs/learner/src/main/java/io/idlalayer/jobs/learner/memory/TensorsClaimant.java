package io.idlalayer.jobs.learner.memory;

import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.budget.BenefitCurve;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import java.util.List;

/**
 * The tensors of trainings. What a step takes in other sizes is rehearsed by the desk that plans
 * steps, and corrected by what it takes now. As long as that is not known, the bytes stay.
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
    // A memory that was opened anew counts from the start.
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

  /** Returns what is saved against the smallest size. */
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
