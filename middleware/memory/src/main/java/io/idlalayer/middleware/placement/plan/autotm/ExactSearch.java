package io.idlalayer.middleware.placement.plan.autotm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds the best schedule of a small step by branch and bound, for forms in which kernels wait for
 * copies. At the prices of the best lower bound, the cost of a path says by how much every schedule
 * with this path exceeds that bound. Gives up after a number of tries. One thread.
 */
final class ExactSearch {
  /** Most uses of a tensor whose paths are listed. */
  private static final int MOST_USES = 8;

  /** Most uses of all tensors together. */
  private static final int MOST_USES_OF_ALL = 64;

  private static final double ROUNDING = 1e-7;

  private final Form form;
  private final Prices prices;
  private final Schedule schedule;
  private final List<List<Priced>> paths = new ArrayList<>();
  private final int[] order;
  private final double[] leastAfter;
  private TensorPath[] best;
  private double bestNanos;
  private long left;

  /** A path and what it costs at the prices. */
  private record Priced(TensorPath path, double cost) {}

  private ExactSearch(FlowGraph graph, Form form, Prices prices, Schedule start, long tries) {
    this.form = form;
    this.prices = prices;
    schedule = new Schedule(graph, form, prices, 0, 1);
    int flows = graph.flows().size();
    best = new TensorPath[flows];
    for (int i = 0; i < flows; i++) {
      best[i] = start.path(i);
    }
    bestNanos = start.nanos();
    left = tries;
    graph.flows().forEach(flow -> paths.add(listed(flow)));
    order =
        IntStream.range(0, flows)
            .boxed()
            .sorted(Comparator.comparingLong(i -> -graph.flows().get(i).bytes()))
            .mapToInt(Integer::intValue)
            .toArray();
    leastAfter = new double[flows + 1];
    for (int i = flows - 1; i >= 0; i--) {
      leastAfter[i] = leastAfter[i + 1] + paths.get(order[i]).get(0).cost();
    }
  }

  /** Returns whether a step is small enough to try. */
  static boolean isSmall(FlowGraph graph) {
    int uses = graph.flows().stream().mapToInt(Flow::uses).sum();
    return uses <= MOST_USES_OF_ALL
        && graph.flows().stream().allMatch(flow -> flow.uses() <= MOST_USES);
  }

  /**
   * Returns the best schedule.
   *
   * @param start the best schedule so far, which is returned if none is better
   * @param tries most paths that are tried
   */
  static Schedule run(FlowGraph graph, Form form, Prices prices, Schedule start, long tries) {
    ExactSearch search = new ExactSearch(graph, form, prices, start, tries);
    search.visit(0, prices.constant());
    Schedule result = new Schedule(graph, form, prices, 0, 1);
    for (int i = 0; i < search.best.length; i++) {
      result.add(i, search.best[i]);
    }
    return result;
  }

  private void visit(int depth, double cost) {
    if (depth == order.length) {
      if (schedule.nanos() < bestNanos * (1 - ROUNDING)) {
        bestNanos = schedule.nanos();
        for (int i = 0; i < best.length; i++) {
          best[i] = schedule.remove(i);
          schedule.add(i, best[i]);
        }
      }
      return;
    }
    int flow = order[depth];
    for (Priced each : paths.get(flow)) {
      double bound = cost + each.cost() + leastAfter[depth + 1];
      if (bound >= bestNanos * (1 - ROUNDING) || left-- <= 0) {
        return;
      }
      schedule.add(flow, each.path());
      if (schedule.fits() && schedule.nanos() < bestNanos) {
        visit(depth + 1, cost + each.cost());
      }
      schedule.remove(flow);
    }
  }

  private List<Priced> listed(Flow flow) {
    List<Priced> all = new ArrayList<>();
    if (form == Form.STATIC) {
      for (boolean fast : new boolean[] {true, false}) {
        TensorPath path = flow.constant(fast);
        all.add(new Priced(path, cost(flow, path)));
      }
    } else {
      list(flow, 0, flow.constant(false), all);
    }
    all.sort(Comparator.comparingDouble(Priced::cost));
    return all;
  }

  /** Lists the paths that begin like a given one and differ from a use on. */
  private void list(Flow flow, int use, TensorPath begun, List<Priced> all) {
    if (use == flow.uses()) {
      close(flow, begun, all);
      return;
    }
    for (boolean fast : new boolean[] {false, true}) {
      begun.fast()[use] = fast;
      if (use == 0) {
        list(flow, 1, begun, all);
      } else {
        for (boolean moves : new boolean[] {false, true}) {
          if (cross(begun, use - 1, use, moves)) {
            list(flow, use + 1, begun, all);
          }
        }
      }
    }
  }

  private void close(Flow flow, TensorPath begun, List<Priced> all) {
    int last = flow.uses() - 1;
    for (boolean moves : new boolean[] {false, true}) {
      if (!flow.lasting() ? !moves : cross(begun, last, 0, moves)) {
        TensorPath path =
            new TensorPath(begun.fast().clone(), begun.leave().clone(), begun.enter().clone());
        all.add(new Priced(path, cost(flow, path)));
      }
    }
  }

  /** Sets what happens in the gap after a use. Returns whether that is possible. */
  private static boolean cross(TensorPath path, int gap, int next, boolean moves) {
    boolean from = path.fast()[gap];
    boolean to = path.fast()[next];
    path.leave()[gap] = from && moves ? 0 : TensorPath.NO;
    path.enter()[gap] = to && moves ? 0 : TensorPath.NO;
    return from == to ? from || !moves : moves;
  }

  private double cost(Flow flow, TensorPath path) {
    double cost = 0;
    for (int use = 0; use < flow.uses(); use++) {
      cost += path.fast()[use] ? prices.fast(flow, use) : prices.slow(flow, use);
    }
    GapCosts gaps = new GapCosts();
    for (int gap = 0; gap < flow.gaps(); gap++) {
      gaps.reset();
      prices.gap(flow, gap, gaps);
      if (path.stays(gap)) {
        cost += gaps.stay();
        continue;
      }
      boolean copied = path.leave()[gap] != TensorPath.NO && !path.clean(flow, gap);
      cost += copied ? gaps.cheapestLeave().cost() : 0;
      cost += path.enter()[gap] != TensorPath.NO ? gaps.cheapestEnter().cost() : 0;
    }
    return cost;
  }
}
