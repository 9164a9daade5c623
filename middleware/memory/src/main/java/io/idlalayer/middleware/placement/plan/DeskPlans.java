package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Plans that a {@link PlanDesk} makes while the steps of a memory run. A step that fits the fast
 * device needs none.
 */
public final class DeskPlans implements PlanSource {
  /** Most graphs whose steps are known, such as the training and the test of a few batch sizes. */
  private static final int MOST_STEPS = 32;

  private final PlanDesk desk;
  private final List<Planner> planners;
  private final Map<TaskGraph, PlannedStep> steps = new RecentSteps();
  private @Nullable PlannedStep current;
  private @Nullable TaskGraph currentGraph;

  private static final class RecentSteps extends LinkedHashMap<TaskGraph, PlannedStep> {
    private static final long serialVersionUID = 1L;

    RecentSteps() {
      super(MOST_STEPS, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<TaskGraph, PlannedStep> eldest) {
      return size() > MOST_STEPS;
    }
  }

  /**
   * @param planners whose plans are rehearsed against each other and against {@code cached-arrays}
   */
  public DeskPlans(PlanDesk desk, List<Planner> planners) {
    this.desk = desk;
    this.planners = List.copyOf(planners);
  }

  @Override
  public PlacementPlan begin(TaskGraph graph, MemoryView view) {
    PlannedStep step = null;
    if (graph.equals(currentGraph)) {
      step = current;
    }
    if (step == null) {
      step = steps.computeIfAbsent(graph, any -> new PlannedStep(desk, planners, graph));
      current = step;
      currentGraph = graph;
    }
    return step.begin(view);
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
    }
  }

  /** Returns how plans of the step with the most bytes are used; of equal ones the latest. */
  @Override
  public Optional<PlanUse> use() {
    return steps.values().stream()
        .reduce((older, newer) -> newer.peakBytes() >= older.peakBytes() ? newer : older)
        .map(PlannedStep::use);
  }
}
