package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.RecentGraphs;
import io.idlalayer.middleware.placement.api.StepCosts;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Plans that a {@link PlanDesk} makes while the steps of a memory run. A step that fits the fast
 * device needs none.
 */
public final class DeskPlans implements PlanSource {
  private static final Comparator<PlannedStep> ORDER =
      Comparator.comparing(PlannedStep::trains).thenComparingLong(PlannedStep::peakBytes);

  private final PlanDesk desk;
  private final List<Planner> planners;
  private final RecentGraphs<PlannedStep> steps = new RecentGraphs<>();
  private @Nullable PlannedStep current;

  /** Steps of all graphs that train, also of those that are forgotten. */
  private long trainingSteps;

  /**
   * @param planners whose plans are rehearsed against each other and against {@code cached-arrays}
   */
  public DeskPlans(PlanDesk desk, List<Planner> planners) {
    this.desk = desk;
    this.planners = List.copyOf(planners);
  }

  @Override
  public PlacementPlan begin(TaskGraph graph, MemoryView view) {
    PlannedStep step = steps.get(graph, any -> new PlannedStep(desk, planners, any));
    current = step;
    return step.begin(view);
  }

  @Override
  public double plannedBytesPerSecond(TaskGraph graph) {
    PlannedStep step = steps.get(graph);
    return step == null ? 0 : step.plannedBytesPerSecond();
  }

  @Override
  public void ran(KernelEvent kernel, long nanos, MemoryView view) {
    PlannedStep step = current;
    if (step != null) {
      step.ran(kernel, nanos, view);
    }
  }

  @Override
  public void ended(MemoryView view) {
    PlannedStep step = current;
    if (step != null) {
      step.ended(view);
      if (step.trains() && view.stepKnown()) {
        trainingSteps++;
      }
    }
  }

  /**
   * Returns how plans are used in the training step with the most bytes; if several have as many,
   * in the latest. A step that only tests counts only if no step trains, although tests of many
   * rows may have more bytes.
   */
  @Override
  public Optional<PlanUse> use() {
    return largest().map(PlannedStep::use);
  }

  /**
   * Returns the costs of the training step with the most bytes, never those of a step that only
   * tests. The other training steps count as steps with these costs.
   */
  @Override
  public Optional<StepCosts> costs(MemoryView view) {
    return largest()
        .filter(PlannedStep::trains)
        .flatMap(step -> step.costs(view))
        .map(costs -> costs.withSteps(trainingSteps));
  }

  private Optional<PlannedStep> largest() {
    return steps.values().stream()
        .reduce((older, newer) -> ORDER.compare(newer, older) >= 0 ? newer : older);
  }
}
