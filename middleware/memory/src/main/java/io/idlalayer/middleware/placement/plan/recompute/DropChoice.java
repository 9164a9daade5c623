package io.idlalayer.middleware.placement.plan.recompute;

import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses tensors to drop until a step fits the fast device. First come drops with the least
 * recomputing time in relation to the memory that they free: the dropped bytes times the
 * nanoseconds for which they are gone. One thread.
 */
final class DropChoice {
  /** A drop must help during this share of the time in which its tensors are gone. */
  private static final double LEAST_USE = 0.25;

  private final TaskGraph graph;

  /** For each kernel, the bytes that are alive above the budget, less what was chosen. */
  private final long[] excess;

  private final List<Drop> chosen = new ArrayList<>();

  private DropChoice(TaskGraph graph, long fastBytes) {
    this.graph = graph;
    excess = graph.liveBytes();
    for (int k = 0; k < excess.length; k++) {
      excess[k] -= fastBytes;
    }
  }

  /** Returns the drops that are worth it, the cheapest first. */
  static List<Drop> of(TaskGraph graph, List<Drop> drops, long fastBytes) {
    DropChoice choice = new DropChoice(graph, fastBytes);
    drops.stream()
        .filter(drop -> !drop.gaps().isEmpty() && drop.cheaperThanMoving())
        .sorted(Comparator.comparingDouble(choice::costOfArea))
        .forEach(choice::consider);
    return choice.chosen;
  }

  private double costOfArea(Drop drop) {
    return drop.costNanos() / area(drop, false);
  }

  /**
   * Returns bytes times nanoseconds by which a drop lowers what is alive.
   *
   * @param needed whether only bytes above the budget count
   */
  private double area(Drop drop, boolean needed) {
    double area = 0;
    for (Drop.Gap gap : drop.gaps()) {
      for (int k = gap.after() + 1; k < gap.before(); k++) {
        long bytes = needed ? Math.max(0, Math.min(gap.bytes(), excess[k])) : gap.bytes();
        area += (double) bytes * Math.max(1, graph.kernels().get(k).fastNanos());
      }
    }
    return area;
  }

  private void consider(Drop drop) {
    if (area(drop, true) < LEAST_USE * area(drop, false)) {
      return;
    }
    chosen.add(drop);
    for (Drop.Gap gap : drop.gaps()) {
      for (int k = gap.after() + 1; k < gap.before(); k++) {
        excess[k] -= gap.bytes();
      }
    }
  }

  /** Returns the step's reruns for some drops. */
  static Recomputation recomputation(List<Drop> drops) {
    List<Rerun> reruns = new ArrayList<>();
    drops.stream()
        .map(Drop::rerun)
        .distinct()
        .sorted(Comparator.comparingInt(Rerun::before))
        .forEach(reruns::add);
    return new Recomputation(reruns);
  }
}
