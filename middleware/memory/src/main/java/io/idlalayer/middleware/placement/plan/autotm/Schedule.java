package io.idlalayer.middleware.placement.plan.autotm;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A set of paths of tensors that fit together. Tracks the fast memory in use while each kernel
 * runs, the time of each kernel, and the copies beside it. Copies fill the time of the kernels in
 * their window; what does not fit is waited for. The cost of a further path takes into account what
 * these paths leave free; a path that costs less than infinity can be added. One thread.
 */
final class Schedule implements Charges {
  private static final double[] NONE = {};

  /** A kernel waits if it takes this many times as long as with fast arguments. */
  private static final double SLOWER = 1.001;

  /** Share of a kernel's time that is planned for copies beside it. */
  private final double hidden;

  private final FlowGraph graph;
  private final Form form;
  private final int steps;
  private final Prices prices;
  private final double rentShare;
  private final double[] rent;
  private final @Nullable TensorPath[] paths;
  private final long[] occupied;
  private final BitSet[] slow;
  private final int[] way;
  private final double[] kernelNanos;

  /** Nanoseconds of the copies of slow arguments that a kernel itself makes. */
  private final double[] ownIn;

  private final double[] ownOut;
  private final double[] inNanos;
  private final double[] outNanos;
  private final double[] waits;
  private final Copies[] copies;
  private double nanos;

  /** Copies of a tensor: for each gap its share of kernels' time, in the order of the kernels. */
  private static final class Copies {
    /** By gap; kernel, nanoseconds, kernel, nanoseconds and so on. */
    final double[][] out;

    final double[][] in;

    Copies(int gaps) {
      out = new double[gaps][];
      in = new double[gaps][];
      Arrays.fill(out, NONE);
      Arrays.fill(in, NONE);
    }

    Copies(Copies other) {
      out = other.out.clone();
      in = other.in.clone();
    }
  }

  /**
   * Creates a schedule without any tensor.
   *
   * @param prices by which a path that takes memory or copies' time from others is dearer
   * @param rentShare share of these prices that is paid
   * @param hidden share of a kernel's time that is planned for copies beside it
   */
  Schedule(FlowGraph graph, Form form, Prices prices, double rentShare, double hidden) {
    this.graph = graph;
    this.form = form;
    this.prices = prices;
    this.rentShare = rentShare;
    this.hidden = hidden;
    steps = graph.steps();
    int flows = graph.flows().size();
    paths = new TensorPath[flows];
    copies = new Copies[flows];
    for (int flow = 0; flow < flows; flow++) {
      copies[flow] = new Copies(graph.flows().get(flow).gaps());
    }
    waits = new double[flows];
    occupied = new long[steps];
    slow = new BitSet[steps];
    way = new int[steps];
    kernelNanos = new double[steps];
    ownIn = new double[steps];
    ownOut = new double[steps];
    inNanos = new double[steps];
    outNanos = new double[steps];
    rent = new double[2 * steps + 1];
    for (int k = 0; k < steps; k++) {
      slow[k] = new BitSet();
      occupied[k] = ways(k).get(0).extraBytes();
      kernelNanos[k] = ways(k).get(0).nanos(slow[k]);
      nanos += kernelNanos[k];
      chooseWay(k);
    }
    for (int k = 0; k < 2 * steps; k++) {
      rent[k + 1] = rent[k] + rentShare * prices.memory[k % steps];
    }
  }

  /** Creates a copy of a schedule, which changes independently. */
  private Schedule(Schedule other) {
    graph = other.graph;
    form = other.form;
    prices = other.prices;
    rentShare = other.rentShare;
    hidden = other.hidden;
    steps = other.steps;
    rent = other.rent;
    paths = other.paths.clone();
    copies = new Copies[other.copies.length];
    Arrays.setAll(copies, flow -> new Copies(other.copies[flow]));
    waits = other.waits.clone();
    occupied = other.occupied.clone();
    slow = new BitSet[steps];
    Arrays.setAll(slow, k -> (BitSet) other.slow[k].clone());
    way = other.way.clone();
    kernelNanos = other.kernelNanos.clone();
    ownIn = other.ownIn.clone();
    ownOut = other.ownOut.clone();
    inNanos = other.inNanos.clone();
    outNanos = other.outNanos.clone();
    nanos = other.nanos;
  }

  /** Returns a copy of this schedule. */
  Schedule copy() {
    return new Schedule(this);
  }

  /**
   * Returns the kernels that take longer than with fast arguments, and those that use a tensor for
   * whose copy something waits.
   */
  int[] waiting() {
    BitSet waiting = new BitSet();
    for (int k = 0; k < steps; k++) {
      if (interval(k) > SLOWER * ways(k).get(0).base()) {
        waiting.set(k);
      }
    }
    for (int flow = 0; flow < waits.length; flow++) {
      if (waits[flow] > 0) {
        Arrays.stream(graph.flows().get(flow).kernels()).forEach(waiting::set);
      }
    }
    return waiting.stream().toArray();
  }

  /** Returns a schedule of another form with the same paths. */
  Schedule in(Form other, Prices guide) {
    Schedule same = new Schedule(graph, other, guide, 0, 1);
    for (int flow = 0; flow < paths.length; flow++) {
      same.add(flow, Objects.requireNonNull(paths[flow], "a flow without a path"));
    }
    return same;
  }

  private List<KernelCost> ways(int kernel) {
    return graph.kernels().get(kernel);
  }

  /** Returns the nanoseconds of a step. */
  double nanos() {
    return nanos;
  }

  /** Returns the path of a flow; null if it was not added. */
  @Nullable TensorPath path(int flow) {
    return paths[flow];
  }

  /** Returns the paths of all flows, each of which was added. */
  List<TensorPath> paths() {
    return Arrays.stream(paths)
        .map(path -> Objects.requireNonNull(path, "a flow without a path"))
        .toList();
  }

  /** Returns whether no kernel uses more fast memory than it may. */
  boolean fits() {
    for (int k = 0; k < steps; k++) {
      if (occupied[k] > graph.limits()[k]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the way in which a kernel is run. */
  KernelCost way(int kernel) {
    return ways(kernel).get(way[kernel]);
  }

  /** Returns whether a tensor that leaves is copied to the slow device beside kernels. */
  boolean copiesBeside(int flow, int gap) {
    return copies[flow].out[gap].length > 0;
  }

  /** Returns the nanoseconds of each kernel and of the copies that are made while it runs. */
  double[] kernelNanos() {
    double[] all = new double[steps];
    Arrays.setAll(all, this::interval);
    return all;
  }

  /** Returns the ways whose fast memory fits, and of these the fastest. */
  private void chooseWay(int k) {
    List<KernelCost> ways = ways(k);
    if (ways.size() == 1) {
      update(k, 0);
      return;
    }
    long others = occupied[k] - ways.get(way[k]).extraBytes();
    int best = 0;
    for (int i = 1; i < ways.size(); i++) {
      if (others + ways.get(i).extraBytes() <= graph.limits()[k]
          && interval(k, ways.get(i)) < interval(k, ways.get(best))) {
        best = i;
      }
    }
    occupied[k] = others + ways.get(best).extraBytes();
    update(k, best);
  }

  private void update(int k, int chosen) {
    nanos -= interval(k);
    way[k] = chosen;
    KernelCost cost = ways(k).get(chosen);
    kernelNanos[k] = cost.wholeNanos(slow[k]);
    ownIn[k] = cost.copyingIn(slow[k]);
    ownOut[k] = cost.copyingOut(slow[k]);
    nanos += interval(k);
  }

  private double interval(int k) {
    return Math.max(kernelNanos[k], Math.max(ownIn[k] + inNanos[k], ownOut[k] + outNanos[k]));
  }

  /** Returns the time of a kernel if it is run in a way. */
  private double interval(int k, KernelCost cost) {
    return Math.max(
        cost.wholeNanos(slow[k]),
        Math.max(cost.copyingIn(slow[k]) + inNanos[k], cost.copyingOut(slow[k]) + outNanos[k]));
  }

  /** Returns the bytes that are free while a kernel runs in the way that needs least. */
  private long free(int k) {
    long more = ways(k).get(way[k]).extraBytes() - ways(k).get(0).extraBytes();
    return graph.limits()[k] - occupied[k] + more;
  }

  /** Adds the path of a flow that has none. */
  void add(int flow, TensorPath path) {
    paths[flow] = path;
    apply(graph.flows().get(flow), path, 1);
    copy(flow, path);
    nanos += waits[flow];
  }

  /** Removes the path of a flow and returns it. */
  TensorPath remove(int flow) {
    TensorPath path = paths[flow];
    if (path == null) {
      throw new IllegalStateException("flow " + flow + " has no path");
    }
    paths[flow] = null;
    nanos -= waits[flow];
    waits[flow] = 0;
    for (int gap = 0; gap < copies[flow].in.length; gap++) {
      release(copies[flow].in[gap], inNanos);
      release(copies[flow].out[gap], outNanos);
      copies[flow].in[gap] = NONE;
      copies[flow].out[gap] = NONE;
    }
    apply(graph.flows().get(flow), path, -1);
    return path;
  }

  private void release(double[] shares, double[] channel) {
    for (int i = 0; i < shares.length; i += 2) {
      take(channel, (int) shares[i], -shares[i + 1]);
    }
  }

  private void take(double[] channel, int k, double share) {
    nanos -= interval(k);
    channel[k] += share;
    nanos += interval(k);
  }

  private void apply(Flow flow, TensorPath path, int sign) {
    for (int use = 0; use < flow.uses(); use++) {
      int k = flow.kernels()[use];
      if (path.fast()[use]) {
        boolean last = !flow.lasting() && use == flow.uses() - 1;
        occupy(k, (last ? flow.retired() : k) - k + 1, sign * flow.bytes());
      } else {
        slow[k].set(flow.arguments()[use], sign > 0);
        chooseWay(k);
      }
    }
    for (int gap = 0; gap < flow.gaps(); gap++) {
      int first = flow.kernels()[gap] + 1;
      int length = flow.length(gap, steps);
      if (path.stays(gap)) {
        occupy(first, length, sign * flow.bytes());
      } else {
        int enter = Math.max(0, path.enter()[gap]);
        occupy(first, Math.max(0, path.leave()[gap]), sign * flow.bytes());
        occupy(first + length - enter, enter, sign * flow.bytes());
      }
    }
  }

  private void occupy(int first, int length, long bytes) {
    for (int i = 0; i < length; i++) {
      int k = (first + i) % steps;
      occupied[k] += bytes;
      if (ways(k).size() > 1) {
        chooseWay(k);
      }
    }
  }

  private void copy(int index, TensorPath path) {
    Flow flow = graph.flows().get(index);
    for (int gap = 0; gap < flow.gaps(); gap++) {
      if (path.leave()[gap] != TensorPath.NO && !path.clean(flow, gap)) {
        int before = beside() ? flow.sinceWrite(gap, steps) : 0;
        int first = flow.kernels()[gap] + 1 - before;
        int length = before + path.leave()[gap];
        copies[index].out[gap] = fill(index, outNanos, first, length, (double) flow.copyOutNanos());
      }
      if (path.enter()[gap] != TensorPath.NO) {
        int end = flow.kernels()[flow.next(gap)];
        int length = path.enter()[gap];
        copies[index].in[gap] =
            fill(index, inNanos, end - length, length, (double) flow.copyInNanos());
      }
    }
  }

  private boolean beside() {
    return form == Form.WINDOWS;
  }

  /** Gives a copy the time of kernels that no other copy has, from the first one on. */
  private double[] fill(int flow, double[] channel, int first, int length, double copyNanos) {
    double left = copyNanos;
    double[] shares = new double[2 * length];
    int used = 0;
    for (int i = 0; i < length && left > 0; i++) {
      int k = Math.floorMod(first + i, steps);
      double share = Math.min(left, spare(channel, k));
      if (share > 0) {
        take(channel, k, share);
        shares[used++] = k;
        shares[used++] = share;
        left -= share;
      }
    }
    waits[flow] += left;
    return Arrays.copyOf(shares, used);
  }

  private double spare(double[] channel, int k) {
    double own = channel == inNanos ? ownIn[k] : ownOut[k];
    return Math.max(0, hidden * kernelNanos[k] - own - channel[k]);
  }

  private boolean fits(int first, int length, long bytes) {
    for (int i = 0; i < length; i++) {
      if (free((first + i) % steps) < bytes) {
        return false;
      }
    }
    return true;
  }

  @Override
  public double fast(Flow flow, int use) {
    int k = flow.kernels()[use];
    boolean last = !flow.lasting() && use == flow.uses() - 1;
    int length = (last ? flow.retired() : k) - k + 1;
    return fits(k, length, flow.bytes()) ? price(k, length, flow) : Double.POSITIVE_INFINITY;
  }

  private double price(int first, int length, Flow flow) {
    int start = first % steps;
    return (rent[start + length] - rent[start]) * flow.bytes();
  }

  @Override
  public double slow(Flow flow, int use) {
    int k = flow.kernels()[use];
    double fast = interval(k);
    slow[k].set(flow.arguments()[use]);
    double least = Double.POSITIVE_INFINITY;
    long others = occupied[k] - ways(k).get(way[k]).extraBytes();
    for (KernelCost cost : ways(k)) {
      if (cost.extraBytes() == 0 || others + cost.extraBytes() <= graph.limits()[k]) {
        least = Math.min(least, interval(k, cost));
      }
    }
    if (least == Double.POSITIVE_INFINITY) {
      least = interval(k, ways(k).get(0));
    }
    slow[k].clear(flow.arguments()[use]);
    return least - fast;
  }

  @Override
  public void gap(Flow flow, int gap, GapCosts into) {
    int first = flow.kernels()[gap] + 1;
    int length = flow.length(gap, steps);
    boolean stays = fits(first, length, flow.bytes());
    into.stay(stays ? price(first, length, flow) : Double.POSITIVE_INFINITY);
    int longest = beside() ? length : 0;
    leave(flow, gap, first, longest, into);
    enter(flow, first + length, longest, into);
  }

  private void leave(Flow flow, int gap, int first, int longest, GapCosts into) {
    double left = flow.copyOutNanos();
    double paid = 0;
    int before = beside() ? flow.sinceWrite(gap, steps) : 0;
    double[] price = prices.weights[Prices.COPYING_OUT];
    for (int i = -before; i < longest + 1; i++) {
      if (i >= 0) {
        into.addLeave(left + paid + price(first, i, flow));
        if (left <= 0 || i == longest || free((first + i) % steps) < flow.bytes()) {
          return;
        }
      }
      int k = Math.floorMod(first + i, steps);
      double share = Math.min(left, spare(outNanos, k));
      paid += rentShare * share * price[k];
      left -= share;
    }
  }

  private void enter(Flow flow, int end, int longest, GapCosts into) {
    double left = flow.copyInNanos();
    double paid = 0;
    double[] price = prices.weights[Prices.COPYING_IN];
    for (int i = 0; i <= longest; i++) {
      into.addEnter(left + paid + price(end - i + steps, i, flow));
      int k = Math.floorMod(end - i - 1, steps);
      if (left <= 0 || i == longest || free(k) < flow.bytes()) {
        return;
      }
      double share = Math.min(left, spare(inNanos, k));
      paid += rentShare * share * price[k];
      left -= share;
    }
  }
}
