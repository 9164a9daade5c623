package io.idlalayer.middleware.placement.plan.redl;

import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanSource;
import io.idlalayer.middleware.placement.policies.migrating.PeriodSource;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import java.util.Optional;

/**
 * Plans of another source as long as the slow device is as fast as when they were made. If it has
 * become faster or slower by more than a fifth, steps follow no plan and tensors migrate by ReDL,
 * which decides by the present speed, until the source has made a new plan. The policy that follows
 * the plans asks its own {@link PeriodSource} first. One thread at a time.
 */
public final class DriftSwitch implements PlanSource, PeriodSource {
  /** The device has drifted if its speed has changed by this factor. */
  private static final double DRIFTED = 1.2;

  /** Number of periods that a step is cut into. */
  private static final int PERIODS = 64;

  private final PlanSource plans;

  /** What tells one decision of the source from another. */
  private record Decision(String planner, long predictedNanos, long planningNanos) {
    static final Decision NONE = new Decision("", 0, 0);

    static Decision of(PlanUse use) {
      return new Decision(use.planner(), use.predictedNanos(), use.planningNanos());
    }
  }

  private Decision decision = Decision.NONE;
  private double decidedBytesPerSecond;
  private boolean drifting;

  /** Whether the step that runs does not follow the source's plan, because of a drift. */
  private boolean overridden;

  /**
   * @param plans source whose plans are followed
   */
  public DriftSwitch(PlanSource plans) {
    this.plans = plans;
  }

  @Override
  public Periods begin(StepProfile step, MemoryView view) {
    double now = bytesPerSecond(view);
    if (decidedBytesPerSecond == 0) {
      decidedBytesPerSecond = now;
    }
    drifting = now > decidedBytesPerSecond * DRIFTED || now * DRIFTED < decidedBytesPerSecond;
    return drifting ? Periods.uniform(step, Math.max(1, step.layers() / PERIODS)) : Periods.NONE;
  }

  private static double bytesPerSecond(MemoryView view) {
    return view.slowSpeed().readBytesPerSecond() + view.slowSpeed().writeBytesPerSecond();
  }

  @Override
  public PlacementPlan begin(TaskGraph graph, MemoryView view) {
    PlacementPlan plan = plans.begin(graph, view);
    Decision now = plans.use().map(Decision::of).orElse(Decision.NONE);
    if (!now.equals(decision)) {
      decision = now;
      decidedBytesPerSecond = bytesPerSecond(view);
    }
    overridden = drifting && !plan.isEmpty();
    return overridden ? PlacementPlan.NONE : plan;
  }

  @Override
  public void ran(KernelEvent kernel, long nanos, MemoryView view) {
    plans.ran(kernel, nanos, view);
  }

  /**
   * A step during a drift tells nothing about the plan, which it did not follow. A step for which
   * there is no plan counts: otherwise a drift in the first steps would put off planning.
   */
  @Override
  public void ended(MemoryView view) {
    if (!overridden) {
      plans.ended(view);
    }
  }

  @Override
  public Optional<PlanUse> use() {
    return plans.use();
  }
}
