package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.StepCurve;
import io.idlalayer.middleware.placement.api.StepCurve.Point;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes how many bytes are on the fast device at each kernel of a step that follows a plan. A
 * tensor takes fast memory from the kernel before which its fetch begins to the kernel after which
 * the tensor leaves. What the plan does not place is created on the fast device. One thread.
 */
final class PlannedBytes {
  private final TaskGraph graph;
  private final PlacementPlan plan;
  private final long[] bytes;
  private final boolean[] alive;
  private final boolean[] fast;

  /** Whether the slow device has the present contents of a tensor. */
  private final boolean[] copied;

  private PlannedBytes(TaskGraph graph, PlacementPlan plan, long granuleBytes) {
    this.graph = graph;
    this.plan = plan;
    int count = graph.tensors().size();
    bytes = new long[count];
    alive = new boolean[count];
    fast = new boolean[count];
    copied = new boolean[count];
    for (int tensor = 0; tensor < count; tensor++) {
      long exact = graph.tensors().get(tensor).bytes();
      bytes[tensor] = (exact + granuleBytes - 1) / granuleBytes * granuleBytes;
      alive[tensor] = graph.creator(tensor) < 0;
      fast[tensor] = startsFast(tensor);
    }
  }

  private boolean startsFast(int tensor) {
    return plan.places().get(tensor) != CreationPlace.SLOW;
  }

  /**
   * Returns the curve of a step in the steady state.
   *
   * @param budgetBytes budget of the fast device
   * @param granuleBytes unit to which the sizes of objects are rounded up, above 0
   */
  static StepCurve curve(TaskGraph graph, PlacementPlan plan, long budgetBytes, long granuleBytes) {
    PlannedBytes step = new PlannedBytes(graph, plan, granuleBytes);
    // The first step puts lasting tensors where the plan leaves them at the end of each.
    var unused = step.run();
    List<Point> kernels = step.run();
    int all = kernels.size();
    int each = Math.max(1, (all + StepCurve.MOST_POINTS - 1) / StepCurve.MOST_POINTS);
    List<Point> points = new ArrayList<>();
    for (int from = 0; from < all; from += each) {
      points.add(
          kernels.subList(from, Math.min(all, from + each)).stream()
              .reduce(Point.NONE, Point::and));
    }
    long peak = kernels.stream().mapToLong(Point::aliveBytes).max().orElse(0);
    return new StepCurve(
        all,
        each,
        first(graph, Phase.BACKWARD),
        first(graph, Phase.UPDATE),
        budgetBytes,
        peak,
        points);
  }

  private static int first(TaskGraph graph, Phase phase) {
    for (int k = 0; k < graph.kernels().size(); k++) {
      TaskGraph.Part part = graph.kernels().get(k).part();
      if (part != null && part.phase() == phase) {
        return k;
      }
    }
    return -1;
  }

  private List<Point> run() {
    List<Point> points = new ArrayList<>();
    for (int k = 0; k < graph.kernels().size(); k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      Point moved = moved(plan.before(k));
      for (int tensor : kernel.lifetimes().creates()) {
        alive[tensor] = true;
        fast[tensor] = startsFast(tensor);
      }
      for (int tensor : kernel.writes()) {
        copied[tensor] = false;
      }
      Point held = held();
      moved = moved.and(moved(plan.after(k)));
      for (int tensor : kernel.lifetimes().retires()) {
        alive[tensor] = false;
      }
      points.add(held.and(moved));
    }
    return points;
  }

  /** Returns the bytes that are alive and fast. */
  private Point held() {
    long all = 0;
    long near = 0;
    for (int tensor = 0; tensor < bytes.length; tensor++) {
      if (alive[tensor]) {
        all += bytes[tensor];
        near += fast[tensor] ? bytes[tensor] : 0;
      }
    }
    return new Point(all, near, 0, 0, 0);
  }

  /** Carries out moves that have anything to do, and returns their bytes. */
  private Point moved(List<Move> moves) {
    long fetched = 0;
    long writtenBack = 0;
    long evicted = 0;
    for (Move move : moves) {
      int tensor = move.tensor();
      if (!alive[tensor]) {
        continue;
      }
      switch (move.kind()) {
        case FETCH, FETCH_AHEAD -> {
          fetched += fast[tensor] ? 0 : bytes[tensor];
          copied[tensor] |= !fast[tensor];
          fast[tensor] = true;
        }
        case WRITE_BACK -> {
          writtenBack += fast[tensor] && !copied[tensor] ? bytes[tensor] : 0;
          copied[tensor] |= fast[tensor];
        }
        case EVICT -> {
          evicted += fast[tensor] ? bytes[tensor] : 0;
          copied[tensor] |= fast[tensor];
          fast[tensor] = false;
        }
      }
    }
    return new Point(0, 0, fetched, writtenBack, evicted);
  }
}
