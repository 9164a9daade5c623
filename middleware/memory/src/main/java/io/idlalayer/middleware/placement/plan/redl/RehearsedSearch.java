package io.idlalayer.middleware.placement.plan.redl;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.policies.migrating.PeriodCosts;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.StepProfile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Searches the periods of a step by rehearsal: those of equally many layers and the best ones of
 * different lengths. If a step has more layers than can be rehearsed, the numbers of layers are
 * tried that cost least by {@link PeriodCosts}.
 */
public final class RehearsedSearch {
  /** Most periods that are returned, best first. */
  public static final int BEST = 3;

  /** Most periods that are rehearsed. */
  static final int MOST_REHEARSED = 12;

  private final TaskGraph graph;
  private final PlanDevices devices;

  public RehearsedSearch(TaskGraph graph, PlanDevices devices) {
    this.graph = graph;
    this.devices = devices;
  }

  /**
   * Periods with the time of a step.
   *
   * @param nanos predicted or rehearsed
   */
  public record Timed(Periods periods, long nanos) {}

  /** Returns the best periods with their rehearsed times, at most three, best first. */
  public List<Timed> best() throws InterruptedException {
    PeriodRehearsal rehearsal = new PeriodRehearsal(graph, devices);
    List<Timed> rehearsed = new ArrayList<>();
    for (Periods periods : candidates()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted during the search for periods");
      }
      rehearsed.add(new Timed(periods, rehearsal.nanos(periods)));
    }
    rehearsed.sort(Comparator.comparingLong(Timed::nanos));
    return List.copyOf(rehearsed.subList(0, Math.min(BEST, rehearsed.size())));
  }

  private Set<Periods> candidates() {
    StepProfile step = new StepProfile(graph);
    long[] nanos = graph.kernels().stream().mapToLong(TaskGraph.Kernel::fastNanos).toArray();
    PeriodCosts costs = new PeriodCosts(step, nanos, devices.times(), devices.fastBytes());
    Set<Periods> uniform = new LinkedHashSet<>();
    for (int layers = 1; layers <= step.layers(); layers++) {
      uniform.add(Periods.uniform(step, layers));
    }
    List<Timed> predicted = new ArrayList<>();
    uniform.forEach(periods -> predicted.add(new Timed(periods, costs.nanos(periods))));
    predicted.sort(Comparator.comparingLong(Timed::nanos));
    Set<Periods> chosen = new LinkedHashSet<>();
    chosen.add(costs.best());
    for (Timed each : predicted) {
      if (chosen.size() < MOST_REHEARSED) {
        chosen.add(each.periods());
      }
    }
    return chosen;
  }
}
