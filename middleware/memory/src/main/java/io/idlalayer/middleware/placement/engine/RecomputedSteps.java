package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.placement.api.RecentGraphs;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.TaskGraph;

/**
 * The steps with kernels that run again, as policies have made them of announced graphs; the last
 * one of each graph. Guarded by the engine's lock.
 */
final class RecomputedSteps {
  private final RecentGraphs<Last> steps = new RecentGraphs<>();

  /** The last answer to a graph. */
  private static final class Last {
    private Recomputation recomputation = Recomputation.NONE;
    private RecomputedStep step;

    Last(TaskGraph graph) {
      step = recomputation.appliedTo(graph);
    }

    RecomputedStep of(TaskGraph graph, Recomputation wanted) {
      if (!wanted.equals(recomputation)) {
        step = wanted.appliedTo(graph);
        recomputation = wanted;
      }
      return step;
    }
  }

  /**
   * Returns the step in which kernels of a graph run again.
   *
   * @throws IllegalArgumentException if {@link Recomputation#appliedTo} throws it
   */
  RecomputedStep of(TaskGraph graph, Recomputation recomputation) {
    return steps.get(graph, Last::new).of(graph, recomputation);
  }
}
