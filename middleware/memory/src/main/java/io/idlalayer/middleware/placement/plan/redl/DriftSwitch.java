package io.idlalayer.middleware.placement.plan.redl;

import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.Drift;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanSource;
import io.idlalayer.middleware.placement.policies.migrating.PeriodSource;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import java.util.Optional;

/**
 * A source that passes on the plans of another source as long as the slow device is as fast as it
 * was when they were made. If it has changed ({@link Drift}), the step follows no plan and tensors
 * migrate by ReDL, which decides by the present speed, until the source has made a new plan. The
 * policy that follows the plans asks for a plan first, then its own {@link PeriodSource}. One
 * thread at a time.
 */
public final class DriftSwitch implements PlanSource, PeriodSource {
  /** Number of periods that a step is cut into. */
  private static final int PERIODS = 64;

  private final PlanSource plans;

  private boolean drifting;

  /** Whether the step that runs does not follow the source's plan, because of a drift. */
  private boolean overridden;

  /** Whether the kernels that run are those that the source expects: with its reruns, or none. */
  private boolean expected = true;

  /**
   * @param plans source whose plans are followed
   */
  public DriftSwitch(PlanSource plans) {
    this.plans = plans;
  }

  @Override
  public Periods begin(StepProfile step, MemoryView view) {
    return drifting ? Periods.uniform(step, Math.max(1, step.layers() / PERIODS)) : Periods.NONE;
  }

  @Override
  public PlacementPlan begin(TaskGraph graph, MemoryView view) {
    double planned = plans.plannedBytesPerSecond(graph);
    drifting = Drift.changed(planned, Drift.bytesPerSecond(view.slowSpeed()));
    PlacementPlan plan = plans.begin(graph, view);
    overridden = drifting && !plan.isEmpty();
    expected = !overridden || plan.recomputation().isEmpty();
    return overridden ? PlacementPlan.NONE : plan;
  }

  @Override
  public double plannedBytesPerSecond(TaskGraph graph) {
    return plans.plannedBytesPerSecond(graph);
  }

  @Override
  public void ran(KernelEvent kernel, long nanos, MemoryView view) {
    if (expected) {
      plans.ran(kernel, nanos, view);
    }
  }

  /**
   * Tells the source of plans that a step has ended, unless the step did not follow its plan
   * because the device had changed: such a step says nothing about the plan.
   */
  @Override
  public void ended(MemoryView view) {
    if (!overridden) {
      plans.ended(view);
    }
  }

  @Override
  public Optional<StepCosts> costs(MemoryView view) {
    return plans.costs(view);
  }

  @Override
  public Optional<PlanUse> use() {
    return plans.use();
  }
}
