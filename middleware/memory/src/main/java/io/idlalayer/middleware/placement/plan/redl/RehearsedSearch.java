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
 * Searches the periods of a step by rehearsal: no migration at all, periods of equally many layers,
 * and the best ones of different lengths by {@link PeriodCosts}. If a step has many layers, not
 * every length of a period is rehearsed: the rehearsed lengths grow by a factor of about 1.6 from
 * one to the next, and the lengths with the least predicted costs are added.
 */
final class RehearsedSearch {
  /** Most periods that are returned, best first. */
  static final int BEST = 3;

  /** Number of layers up to which every number is rehearsed. */
  private static final int ALL_LAYERS = 6;

  private static final double GROWTH = 1.6;

  /** Number of periods that are rehearsed because their costs are the least. */
  private static final int LEAST_COSTS = 2;

  private final TaskGraph graph;
  private final PlanDevices devices;

  RehearsedSearch(TaskGraph graph, PlanDevices devices) {
    this.graph = graph;
    this.devices = devices;
  }

  /**
   * Periods with the time of a step.
   *
   * @param nanos predicted or rehearsed
   */
  record Timed(Periods periods, long nanos) {}

  /** Returns the best periods with their rehearsed times, at most three, best first. */
  List<Timed> best() throws InterruptedException {
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
    Set<Periods> chosen = new LinkedHashSet<>();
    chosen.add(Periods.NONE);
    chosen.add(costs.best());
    List<Timed> predicted = new ArrayList<>();
    int next = 1;
    for (int layers = 1; layers <= step.layers(); layers++) {
      Periods periods = Periods.uniform(step, layers);
      predicted.add(new Timed(periods, costs.nanos(periods)));
      if (step.layers() <= ALL_LAYERS || layers == next) {
        chosen.add(periods);
        next = Math.max(next + 1, (int) Math.round(next * GROWTH));
      }
    }
    predicted.sort(Comparator.comparingLong(Timed::nanos));
    predicted.stream().limit(LEAST_COSTS).forEach(each -> chosen.add(each.periods()));
    return chosen;
  }
}
