package io.idlalayer.middleware.placement.plan.autotm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Prices of a byte of fast memory while each kernel runs, and weights of what bounds the time of
 * each kernel's interval, which lasts from the end of the kernel before it to its own end.
 *
 * <p>An interval takes at least as long as each of these: the computation, reading slow arguments,
 * writing slow arguments, the copies in, and the copies out. Copies that a kernel waits for add to
 * it. So it takes at least any mean of these with {@linkplain #weights} that add up to 1. With
 * weights and prices, each tensor has a cheapest path of its own, and {@link #value} is a lower
 * bound of the time of a step under any plan of the form (weak duality, as in the proof of the
 * bench's {@code TrafficBound}). One thread.
 */
final class Prices implements Charges {
  /** Rows of the weights. */
  static final int COMPUTING = 0;

  static final int READING = 1;
  static final int WRITING = 2;
  static final int COPYING_IN = 3;
  static final int COPYING_OUT = 4;
  static final int ROWS = 5;

  /** Half of the time of two copies that may be made at once. */
  private static final double EACH = 0.5;

  private final FlowGraph graph;
  private final Form form;
  private final int steps;
  private final List<KernelCost> least = new ArrayList<>();
  private final PathSearch search;

  /** Nanoseconds for a byte while each kernel runs. */
  final double[] memory;

  /** By row, then by kernel. */
  final double[][] weights;

  /** Bytes above each kernel's limit that want to be fast. */
  final double[] excess;

  /** By row, then by kernel: nanoseconds of the paths that were found last. */
  final double[][] loads;

  private final double[] rent;
  private final double[] syncIn;
  private final double[] syncOut;

  /** Creates prices of 0; computing alone bounds each interval. */
  Prices(FlowGraph graph, Form form, SearchLimits.Deadline deadline) {
    this.graph = graph;
    this.form = form;
    steps = graph.steps();
    graph.kernels().forEach(kernel -> least.add(leastOf(kernel)));
    search = new PathSearch(form, steps, deadline);
    memory = new double[steps];
    weights = new double[ROWS][steps];
    Arrays.fill(weights[COMPUTING], 1);
    excess = new double[steps];
    loads = new double[ROWS][steps];
    rent = new double[2 * steps + 1];
    syncIn = new double[steps];
    syncOut = new double[steps];
  }

  /**
   * Sets the weights of all kernels.
   *
   * @param copying weight of copies in, and of copies out; below a half
   */
  void copying(double copying) {
    Arrays.fill(weights[COMPUTING], 1 - 2 * copying);
    Arrays.fill(weights[COPYING_IN], copying);
    Arrays.fill(weights[COPYING_OUT], copying);
  }

  /** Takes the prices and weights of others. */
  void set(Prices others) {
    System.arraycopy(others.memory, 0, memory, 0, steps);
    for (int row = 0; row < ROWS; row++) {
      System.arraycopy(others.weights[row], 0, weights[row], 0, steps);
    }
  }

  /** Returns a cost that is nowhere above that of any way to run a kernel. */
  private static KernelCost leastOf(List<KernelCost> ways) {
    KernelCost first = ways.get(0);
    double base = first.base();
    double[] reads = new double[first.additions().length];
    double[] writes = reads.clone();
    double[] additions = first.additions().clone();
    Arrays.fill(reads, Double.POSITIVE_INFINITY);
    Arrays.fill(writes, Double.POSITIVE_INFINITY);
    for (KernelCost way : ways) {
      base = Math.min(base, way.base());
      for (int i = 0; i < additions.length; i++) {
        additions[i] = Math.min(additions[i], way.additions()[i]);
        reads[i] = Math.min(reads[i], way.reads()[i] + way.additions()[i]);
        writes[i] = Math.min(writes[i], way.writes()[i] + way.additions()[i]);
      }
    }
    return new KernelCost(base, reads, writes, additions, null, 0, 0);
  }

  /** Returns whether copies are made beside kernels. */
  private boolean beside() {
    return form == Form.WINDOWS;
  }

  /** Lower bound of a step's nanoseconds at these prices; finds loads and excess. */
  double value() {
    for (int k = 0; k < 2 * steps; k++) {
      rent[k + 1] = rent[k] + memory[k % steps];
    }
    for (int k = 0; k < steps; k++) {
      double computing = weights[COMPUTING][k] + weights[READING][k] + weights[WRITING][k];
      syncIn[k] = beside() ? EACH * computing + weights[COPYING_IN][k] : 1;
      syncOut[k] = beside() ? EACH * computing + weights[COPYING_OUT][k] : 1;
    }
    double value = constant();
    for (double[] row : loads) {
      Arrays.fill(row, 0);
    }
    for (int k = 0; k < steps; k++) {
      loads[COMPUTING][k] = least.get(k).base();
      excess[k] = -graph.limits()[k];
    }
    double[] change = new double[2 * steps + 1];
    for (Flow flow : graph.flows()) {
      PathSearch.Found found = search.cheapest(flow, this);
      value += found.cost();
      load(flow, found.path(), change);
    }
    double now = 0;
    for (int k = 0; k < 2 * steps; k++) {
      now += change[k];
      excess[k % steps] += now;
    }
    return value;
  }

  /** Returns the part of {@link #value} that does not depend on paths. */
  double constant() {
    double constant = 0;
    for (int k = 0; k < steps; k++) {
      constant += weights[COMPUTING][k] * least.get(k).base() - memory[k] * graph.limits()[k];
    }
    return constant;
  }

  private void load(Flow flow, TensorPath path, double[] change) {
    for (int use = 0; use < flow.uses(); use++) {
      int k = flow.kernels()[use];
      int argument = flow.arguments()[use];
      if (path.fast()[use]) {
        boolean last = !flow.lasting() && use == flow.uses() - 1;
        occupy(change, k, (last ? flow.retired() : k) - k + 1, flow.bytes());
      } else {
        KernelCost cost = least.get(k);
        loads[COMPUTING][k] += cost.additions()[argument];
        loads[READING][k] += cost.reads()[argument];
        loads[WRITING][k] += cost.writes()[argument];
      }
    }
    for (int gap = 0; gap < flow.gaps(); gap++) {
      int first = flow.kernels()[gap] + 1;
      int length = flow.length(gap, steps);
      if (path.stays(gap)) {
        occupy(change, first, length, flow.bytes());
        continue;
      }
      if (path.leave()[gap] != TensorPath.NO) {
        occupy(change, first, path.leave()[gap], flow.bytes());
        if (!path.clean(flow, gap)) {
          copyOut(flow, gap, path.leave()[gap]);
        }
      }
      if (path.enter()[gap] != TensorPath.NO) {
        int start = first + length - path.enter()[gap];
        occupy(change, start, path.enter()[gap], flow.bytes());
        copyIn(flow, start, path.enter()[gap]);
      }
    }
  }

  private void occupy(double[] change, int first, int length, long bytes) {
    int start = first % steps;
    change[start] += bytes;
    change[start + length] -= bytes;
  }

  private void copyOut(Flow flow, int gap, int kernels) {
    int after = (flow.kernels()[gap] + 1 + kernels) % steps;
    int best = -1;
    double price = syncOut[after];
    for (int i = -written(flow, gap); i < kernels; i++) {
      int k = Math.floorMod(flow.kernels()[gap] + 1 + i, steps);
      if (weights[COPYING_OUT][k] < price) {
        price = weights[COPYING_OUT][k];
        best = k;
      }
    }
    copy(best, after, (double) flow.copyOutNanos(), COPYING_OUT);
  }

  private void copyIn(Flow flow, int start, int kernels) {
    int best = -1;
    double price = syncIn[start % steps];
    for (int i = 0; i < kernels; i++) {
      int k = (start + i) % steps;
      if (weights[COPYING_IN][k] < price) {
        price = weights[COPYING_IN][k];
        best = k;
      }
    }
    copy(best, start % steps, (double) flow.copyInNanos(), COPYING_IN);
  }

  private void copy(int beside, int waiting, double nanos, int row) {
    if (beside() && beside >= 0) {
      loads[row][beside] += nanos;
    } else if (beside()) {
      loads[row][waiting] += nanos;
      for (int computing = COMPUTING; computing <= WRITING; computing++) {
        loads[computing][waiting] += EACH * nanos;
      }
    }
  }

  /**
   * Returns the number of kernels from a tensor's last write to the use before a gap; 0 in forms
   * without copies beside kernels.
   */
  private int written(Flow flow, int gap) {
    return beside() ? flow.sinceWrite(gap, steps) : 0;
  }

  @Override
  public double fast(Flow flow, int use) {
    int k = flow.kernels()[use];
    boolean last = !flow.lasting() && use == flow.uses() - 1;
    return (rent[(last ? flow.retired() : k) + 1] - rent[k]) * flow.bytes();
  }

  @Override
  public double slow(Flow flow, int use) {
    int k = flow.kernels()[use];
    int argument = flow.arguments()[use];
    KernelCost cost = least.get(k);
    return weights[COMPUTING][k] * cost.additions()[argument]
        + weights[READING][k] * cost.reads()[argument]
        + weights[WRITING][k] * cost.writes()[argument];
  }

  @Override
  public void gap(Flow flow, int gap, GapCosts into) {
    int first = (flow.kernels()[gap] + 1) % steps;
    int length = flow.length(gap, steps);
    double whole = (rent[first + length] - rent[first]) * flow.bytes();
    into.stay(whole);
    int longest = beside() ? length : 0;
    double out = Double.POSITIVE_INFINITY;
    for (int i = 1; i <= written(flow, gap); i++) {
      out = Math.min(out, weights[COPYING_OUT][Math.floorMod(first - i, steps)]);
    }
    double best = Double.POSITIVE_INFINITY;
    for (int e = 0; e <= longest; e++) {
      double held = (rent[first + e] - rent[first]) * flow.bytes();
      if (held >= best) {
        break;
      }
      double cost = held + flow.copyOutNanos() * Math.min(out, syncOut[(first + e) % steps]);
      into.addLeave(cost);
      best = Math.min(best, cost);
      out = Math.min(out, weights[COPYING_OUT][(first + e) % steps]);
    }
    double in = Double.POSITIVE_INFINITY;
    best = Double.POSITIVE_INFINITY;
    for (int s = 0; s <= longest; s++) {
      int start = first + length - s;
      double held = (rent[first + length] - rent[start]) * flow.bytes();
      if (held >= best) {
        break;
      }
      double cost = held + flow.copyInNanos() * Math.min(in, syncIn[start % steps]);
      into.addEnter(cost);
      best = Math.min(best, cost);
      in = Math.min(in, weights[COPYING_IN][Math.floorMod(start - 1, steps)]);
    }
  }
}
