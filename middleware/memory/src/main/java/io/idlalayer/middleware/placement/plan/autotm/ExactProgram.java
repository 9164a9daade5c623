package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.plan.solver.IntegerProgram;
import io.idlalayer.middleware.placement.plan.solver.IntegerProgram.Sum;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The integer linear program of a step. Its solutions are the schedules whose copies are made in
 * {@linkplain #windows windows} of a few lengths: after a use, before the next one, and at most
 * {@value #MOST_AHEAD} kernels ahead of a use if the tensor is not written any more. The cost of a
 * solution is the time of a step as {@link Schedule} has it, but a copy may be divided between
 * kernels in any way. One thread.
 *
 * <p>Source: Hildebrand 2020, section 4, in a tighter form with the same whole solutions: a choice
 * for each edge of a tensor's path, everything else is a sum of these. Windows of several kernels
 * and writing ahead are ours.
 */
final class ExactProgram {
  /** Most kernels before a tensor's last use beside which it is written ahead. */
  static final int MOST_AHEAD = 32;

  /** Lengths of windows, in kernels. */
  private static final int[] WINDOWS = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

  /** A window is long enough if its kernels take this many times as long as the copy. */
  private static final double ENOUGH = 3;

  private static final double INFINITY = Double.POSITIVE_INFINITY;
  private static final double HALF = 0.5;

  private final FlowGraph graph;
  private final Form form;
  private final int steps;
  private final double unitNanos;
  private final double unitBytes;
  private final IntegerProgram.Builder builder = new IntegerProgram.Builder();
  private final int[] time;
  private final Sum[] memory;
  private final Sum[] in;
  private final Sum[] out;

  /** By kernel and argument: 1 if it is fast. */
  private final int[][] fastArgument;

  private final List<Choices> choices = new ArrayList<>();
  private final List<TensorPath> start;
  private final IntegerProgram program;

  /** The variables of a tensor. */
  private static final class Choices {
    /** By use: whether it is fast. */
    final int[] fast;

    /** By gap: whether it stays fast. */
    final int[] stay;

    /** By gap: lengths of windows after and before it. */
    final int[][] after;

    final int[][] before;

    /** By gap and window: whether it leaves, and whether it enters. */
    final int[][] leave;

    final int[][] enter;

    /** By use: whether the slow device has the same bytes afterwards. */
    final int[] clean;

    Choices(Flow flow) {
      fast = new int[flow.uses()];
      clean = new int[flow.uses()];
      stay = new int[flow.gaps()];
      after = new int[flow.gaps()][0];
      before = new int[flow.gaps()][0];
      leave = new int[flow.gaps()][0];
      enter = new int[flow.gaps()][0];
    }
  }

  /**
   * @param start paths of the flows from which the search begins, which a solution may have; none
   *     if it begins anywhere
   */
  ExactProgram(FlowGraph graph, Form form, List<TensorPath> start) {
    this.start = start;
    this.graph = graph;
    this.form = form;
    steps = graph.steps();
    unitNanos = Math.max(1, graph.fastNanos() / Math.max(1, steps));
    unitBytes = unitBytes(graph);
    time = new int[steps];
    memory = new Sum[steps];
    in = new Sum[steps];
    out = new Sum[steps];
    fastArgument = new int[steps][];
    for (int k = 0; k < steps; k++) {
      time[k] = builder.variable(0, INFINITY, 1);
      memory[k] = new Sum();
      in[k] = new Sum();
      out[k] = new Sum();
      fastArgument[k] = new int[graph.kernels().get(k).get(0).additions().length];
    }
    for (int i = 0; i < graph.flows().size(); i++) {
      Flow flow = graph.flows().get(i);
      TensorPath begun = start.isEmpty() ? null : start.get(i);
      choices.add(form == Form.STATIC ? constant(flow) : moving(flow, begun));
    }
    for (int k = 0; k < steps; k++) {
      kernel(k);
    }
    program = builder.build();
  }

  /**
   * Returns roughly how many terms the rows of a program have. The memory that solving takes grows
   * with this number.
   */
  static long terms(FlowGraph graph) {
    long terms = 0;
    for (Flow flow : graph.flows()) {
      for (int gap = 0; gap < flow.gaps(); gap++) {
        int length = flow.length(gap, graph.steps());
        long windows = Math.min(length + 1, WINDOWS.length);
        // Each window occupies its kernels, and each share of a copy lies within windows.
        terms += length + 4 * windows * Math.min(length, WINDOWS[WINDOWS.length - 1]) + MOST_AHEAD;
      }
    }
    return terms;
  }

  /** The greatest number of bytes of which all sizes are multiples. */
  private static double unitBytes(FlowGraph graph) {
    BigInteger unit = BigInteger.ZERO;
    for (Flow flow : graph.flows()) {
      unit = unit.gcd(BigInteger.valueOf(flow.bytes()));
    }
    return Math.max(1, unit.doubleValue());
  }

  IntegerProgram program() {
    return program;
  }

  /** Returns the nanoseconds of a cost. */
  double nanos(double cost) {
    return cost * unitNanos;
  }

  /**
   * Returns the values of the variables at which the solver starts; NaN for a value that is not
   * known. Empty if there is no start.
   */
  double[] startValues() {
    if (start.isEmpty()) {
      return new double[0];
    }
    double[] values = new double[program.variables()];
    Arrays.fill(values, Double.NaN);
    for (int i = 0; i < choices.size(); i++) {
      Choices own = choices.get(i);
      TensorPath path = start.get(i);
      for (int use = 0; use < own.fast.length; use++) {
        values[own.fast[use]] = path.fast()[use] ? 1 : 0;
      }
      for (int gap = 0; gap < own.stay.length; gap++) {
        values[own.stay[gap]] = path.stays(gap) ? 1 : 0;
        choose(own.leave[gap], own.after[gap], path.leave()[gap], values);
        choose(own.enter[gap], own.before[gap], path.enter()[gap], values);
      }
    }
    return values;
  }

  private static void choose(int[] variables, int[] windows, int window, double[] values) {
    for (int i = 0; i < variables.length; i++) {
      values[variables[i]] = windows[i] == window ? 1 : 0;
    }
  }

  /** Returns the paths of the flows that a solution means. */
  List<TensorPath> paths(double[] values) {
    List<TensorPath> paths = new ArrayList<>();
    for (int i = 0; i < choices.size(); i++) {
      Choices own = choices.get(i);
      TensorPath path = graph.flows().get(i).constant(false);
      for (int use = 0; use < own.fast.length; use++) {
        path.fast()[use] = values[own.fast[use]] > HALF;
      }
      for (int gap = 0; gap < own.stay.length; gap++) {
        path.leave()[gap] = chosen(own.leave[gap], own.after[gap], values);
        path.enter()[gap] = chosen(own.enter[gap], own.before[gap], values);
      }
      paths.add(path);
    }
    return paths;
  }

  private static int chosen(int[] variables, int[] windows, double[] values) {
    for (int i = 0; i < variables.length; i++) {
      if (values[variables[i]] > HALF) {
        return windows[i];
      }
    }
    return TensorPath.NO;
  }

  /** A tensor that is on one device all the time. */
  private Choices constant(Flow flow) {
    Choices own = new Choices(flow);
    int fast = builder.choice(0);
    for (int use = 0; use < flow.uses(); use++) {
      own.fast[use] = fast;
      use(flow, use, fast);
    }
    for (int gap = 0; gap < flow.gaps(); gap++) {
      own.stay[gap] = fast;
      occupy(flow, flow.kernels()[gap] + 1, flow.length(gap, steps), fast);
    }
    return own;
  }

  private Choices moving(Flow flow, @Nullable TensorPath begun) {
    Choices own = new Choices(flow);
    for (int use = 0; use < flow.uses(); use++) {
      own.fast[use] = builder.choice(0);
      own.clean[use] = builder.variable(0, 1, 0);
      use(flow, use, own.fast[use]);
    }
    for (int gap = 0; gap < flow.gaps(); gap++) {
      gap(flow, gap, own, begun);
    }
    for (int use = 0; use < flow.uses(); use++) {
      clean(flow, use, own);
    }
    return own;
  }

  private void use(Flow flow, int use, int fast) {
    int k = flow.kernels()[use];
    fastArgument[k][flow.arguments()[use]] = fast;
    boolean last = !flow.lasting() && use == flow.uses() - 1;
    occupy(flow, k, (last ? flow.retired() : k) - k + 1, fast);
  }

  private void occupy(Flow flow, int first, int length, int variable) {
    for (int i = 0; i < length; i++) {
      var unused = memory[(first + i) % steps].plus(flow.bytes() / unitBytes, variable);
    }
  }

  /**
   * Returns the lengths of windows of a copy, up to one that is long enough for it.
   *
   * @param further a length that is possible as well
   * @param kernel kernel of the window by its distance from the use
   */
  private int[] windows(int length, int further, long copyNanos, IntUnaryOperator kernel) {
    if (form != Form.WINDOWS) {
      return new int[1];
    }
    int enough = 0;
    double hidden = 0;
    while (enough < length && enough < WINDOWS[WINDOWS.length - 1] && hidden < ENOUGH * copyNanos) {
      hidden += graph.kernels().get(kernel.applyAsInt(enough)).get(0).base();
      enough++;
    }
    int longest = enough;
    return IntStream.concat(
            Arrays.stream(WINDOWS).filter(it -> it < longest), IntStream.of(longest, further))
        .distinct()
        .sorted()
        .toArray();
  }

  /** A tensor stays, or leaves and enters, or does one of the two. */
  private void gap(Flow flow, int gap, Choices own, @Nullable TensorPath begun) {
    int length = flow.length(gap, steps);
    int first = flow.kernels()[gap] + 1;
    int end = first + length;
    own.stay[gap] = builder.choice(0);
    occupy(flow, first, length, own.stay[gap]);
    int left = begun == null ? 0 : Math.max(0, begun.leave()[gap]);
    int entered = begun == null ? 0 : Math.max(0, begun.enter()[gap]);
    int[] after = windows(length, left, flow.copyOutNanos(), i -> (first + i) % steps);
    int[] before = windows(length, entered, flow.copyInNanos(), i -> (end - 1 - i) % steps);
    own.after[gap] = after;
    own.before[gap] = before;
    own.leave[gap] = new int[after.length];
    own.enter[gap] = new int[before.length];
    for (int i = 0; i < after.length; i++) {
      own.leave[gap][i] = builder.choice(0);
      occupy(flow, first, after[i], own.leave[gap][i]);
    }
    for (int i = 0; i < before.length; i++) {
      own.enter[gap][i] = builder.choice(0);
      occupy(flow, end - before[i], before[i], own.enter[gap][i]);
    }
    Sum leaves = longer(own.leave[gap], after, -1);
    Sum enters = longer(own.enter[gap], before, -1);
    equal(own.fast[gap], own.stay[gap], leaves);
    equal(own.fast[flow.next(gap)], own.stay[gap], enters);
    int longestOut = after[after.length - 1];
    int longestIn = before[before.length - 1];
    for (int i = length - longestIn; i < longestOut; i++) {
      // Windows of one gap do not overlap.
      builder.row(
          -INFINITY,
          longer(own.leave[gap], after, i).plus(1, longer(own.enter[gap], before, length - 1 - i)),
          1);
    }
    Sum written = new Sum().plus(1, own.clean[gap]).plus(-1, leaves);
    int ahead = form == Form.WINDOWS ? Math.min(flow.sinceWrite(gap, steps), MOST_AHEAD) : 0;
    for (int i = -ahead; i < longestOut; i++) {
      int share = share(out, Math.floorMod(first + i, steps), flow.copyOutNanos());
      written = written.plus(1, share);
      if (i >= 0) {
        builder.row(0, longer(own.leave[gap], after, i).plus(-1, share), INFINITY);
      }
    }
    builder.row(0, written.plus(1, waiting(flow.copyOutNanos())), INFINITY);
    Sum read = new Sum().plus(-1, enters);
    for (int i = 0; i < longestIn; i++) {
      int share = share(in, Math.floorMod(end - 1 - i, steps), flow.copyInNanos());
      read = read.plus(1, share);
      builder.row(0, longer(own.enter[gap], before, i).plus(-1, share), INFINITY);
    }
    builder.row(0, read.plus(1, waiting(flow.copyInNanos())), INFINITY);
  }

  /** A share of a copy that is made beside a kernel. */
  private int share(Sum[] channel, int kernel, long copyNanos) {
    int share = builder.variable(0, 1, 0);
    var unused = channel[kernel].plus(copyNanos / unitNanos, share);
    return share;
  }

  /** A share of a copy for which everything waits. */
  private int waiting(long copyNanos) {
    return builder.variable(0, 1, copyNanos / unitNanos);
  }

  private void equal(int fast, int stay, Sum moves) {
    builder.row(0, new Sum().plus(-1, fast).plus(1, stay).plus(1, moves), 0);
  }

  /** Returns the sum of the variables whose windows are longer than a number of kernels. */
  private static Sum longer(int[] variables, int[] windows, int kernels) {
    Sum sum = new Sum();
    for (int i = 0; i < variables.length; i++) {
      sum = windows[i] > kernels ? sum.plus(1, variables[i]) : sum;
    }
    return sum;
  }

  /** A slow tensor counts as clean, one that is written as changed, one that enters as clean. */
  private void clean(Flow flow, int use, Choices own) {
    Sum sum = new Sum().plus(1, own.clean[use]).plus(1, own.fast[use]);
    if (!flow.writes()[use] && (flow.lasting() || use > 0)) {
      int gap = use == 0 ? flow.uses() - 1 : use - 1;
      sum = sum.plus(-1, own.clean[gap]).plus(-1, longer(own.enter[gap], own.before[gap], -1));
    }
    builder.row(-INFINITY, sum, 1);
  }

  private void kernel(int k) {
    List<KernelCost> ways = graph.kernels().get(k);
    boolean several = ways.size() > 1;
    double least = INFINITY;
    for (KernelCost way : ways) {
      least = Math.min(least, way.base());
    }
    Sum one = new Sum();
    for (KernelCost way : ways) {
      double extra = way.extraBytes() / unitBytes;
      Sum off = new Sum();
      if (several) {
        int chosen = builder.choice(0);
        one = one.plus(1, chosen);
        memory[k] = memory[k].plus(extra, chosen);
        off = off.plus(1).plus(-1, chosen);
      } else {
        memory[k] = memory[k].plus(extra);
      }
      if (way.table() != null) {
        measured(k, way.table(), off);
      } else {
        bound(k, way, way.base(), new double[way.reads().length], off, least);
        bound(k, way, 0, way.reads(), off, least);
        bound(k, way, 0, way.writes(), off, least);
      }
    }
    if (several) {
      builder.row(1, one, 1);
    }
    builder.row(-INFINITY, memory[k], graph.limits()[k] / unitBytes);
    for (Sum copies : List.of(in[k], out[k])) {
      builder.row(-INFINITY, copies.plus(-1, time[k]), 0);
    }
  }

  /** The kernel takes at least a time, and what its slow arguments add, if it runs in this way. */
  private void bound(
      int k, KernelCost way, double nanos, double[] slowNanos, Sum off, double least) {
    Sum needed = new Sum().plus(nanos / unitNanos);
    double most = nanos;
    for (int i = 0; i < slowNanos.length; i++) {
      double slow = slowNanos[i] + way.additions()[i];
      if (slow > 0) {
        needed = needed.plus(slow / unitNanos).plus(-slow / unitNanos, fastArgument[k][i]);
        most += slow;
      }
    }
    if (most > 0) {
      needed = needed.plus(-Math.max(0, most - least) / unitNanos, off).plus(-1, time[k]);
      builder.row(-INFINITY, needed, 0);
    }
  }

  /** One of the sets of slow arguments has its measured time. */
  private void measured(int k, double[] table, Sum off) {
    int[] sets = new int[table.length];
    Sum one = new Sum();
    Sum nanos = new Sum().plus(-1, time[k]);
    double most = 0;
    for (int set = 0; set < sets.length; set++) {
      sets[set] = builder.variable(0, 1, 0);
      one = one.plus(1, sets[set]);
      nanos = nanos.plus(table[set] / unitNanos, sets[set]);
      most = Math.max(most, table[set]);
    }
    builder.row(1, one, 1);
    for (int argument = 0; argument < fastArgument[k].length; argument++) {
      Sum fast = new Sum().plus(-1, fastArgument[k][argument]);
      for (int set = 0; set < sets.length; set++) {
        if ((set >> argument & 1) == 0) {
          fast = fast.plus(1, sets[set]);
        }
      }
      builder.row(0, fast, 0);
    }
    builder.row(-INFINITY, nanos.plus(-most / unitNanos, off), 0);
  }
}
