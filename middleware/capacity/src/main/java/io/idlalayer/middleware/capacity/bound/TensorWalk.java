package io.idlalayer.middleware.capacity.bound;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.Arrays;
import java.util.List;

/**
 * The cheapest way of a single byte of a tensor through a step, at given prices of fast memory:
 * shortest path over its uses, in three states. For a lasting tensor the way repeats after one, two
 * or three steps, which with three states is as good as any way can be in the long run.
 */
final class TensorWalk {
  /** Fast; the slow device does not hold what was written last. */
  private static final int FAST = 0;

  /** Fast; the slow device holds the same. */
  private static final int BOTH = 1;

  /** Only slow. */
  private static final int SLOW = 2;

  private static final int STATES = 3;

  private static final int HELD = 0;
  private static final int FETCHED = 1;
  private static final int IN_PLACE = 2;

  private final double bytes;
  private final boolean lasting;
  private final int[] kernels;
  private final boolean[] reads;
  private final boolean[] writes;
  private final boolean[] divisible;
  private final TransferCosts costs;
  private final double[][][] distance;
  private final int[][][] chosen;

  TensorWalk(TaskGraph graph, int tensor, TransferCosts costs) {
    List<Integer> users = graph.users(tensor);
    this.costs = costs;
    bytes = graph.tensors().get(tensor).bytes();
    lasting = graph.creator(tensor) < 0;
    kernels = users.stream().mapToInt(Integer::intValue).toArray();
    reads = new boolean[kernels.length];
    writes = new boolean[kernels.length];
    divisible = new boolean[kernels.length];
    for (int i = 0; i < kernels.length; i++) {
      reads[i] = graph.kernels().get(kernels[i]).reads().contains(tensor);
      TaskGraph.Kernel kernel = graph.kernels().get(kernels[i]);
      divisible[i] = kernel.divisible();
      // Bytes that a divisible kernel uses up need not be copied back from its buffers.
      boolean usedUp = divisible[i] && kernel.lifetimes().retires().contains(tensor);
      writes[i] = kernel.writes().contains(tensor) && !(usedUp && reads[i]);
    }
    distance = new double[STATES][kernels.length][STATES];
    chosen = new int[STATES][kernels.length][STATES];
  }

  /** Whether any kernel uses it. */
  boolean used() {
    return kernels.length > 0;
  }

  /** Cost of the cheapest way in the long run, per step; adds its bytes to the occupancy. */
  double cheapest(Occupancy occupancy) {
    return bytes * (lasting ? cheapestCycle(occupancy) : cheapestPath(occupancy));
  }

  private double cheapestPath(Occupancy occupancy) {
    double[] first = distance[0][0];
    double use = occupancy.use(kernels[0]);
    first[FAST] = use;
    first[BOTH] = Double.POSITIVE_INFINITY;
    // A tensor that is made outside of kernels is written there at no cost.
    first[SLOW] = writes[0] ? slowWrite(0) : slowRead(0);
    for (int i = 1; i < kernels.length; i++) {
      advance(0, i, distance[0][i - 1], occupancy);
    }
    double[] last = distance[0][kernels.length - 1];
    int end = FAST;
    for (int state = 1; state < STATES; state++) {
      end = last[state] < last[end] ? state : end;
    }
    int state = end;
    for (int i = kernels.length - 1; i > 0; i--) {
      state = back(0, i, state, 1, occupancy);
    }
    if (state != SLOW) {
      occupancy.addUse(kernels[0], bytes);
    }
    return last[end];
  }

  private double cheapestCycle(Occupancy occupancy) {
    double[][] step = new double[STATES][];
    for (int start = 0; start < STATES; start++) {
      double[] from = new double[STATES];
      Arrays.fill(from, Double.POSITIVE_INFINITY);
      from[start] = 0;
      for (int i = 0; i < kernels.length; i++) {
        advance(start, i, i == 0 ? from : distance[start][i - 1], occupancy);
      }
      step[start] = distance[start][kernels.length - 1];
    }
    int[] best = {FAST};
    double mean = step[FAST][FAST];
    for (int[] cycle : CYCLES) {
      double sum = 0;
      for (int i = 0; i < cycle.length; i++) {
        sum += step[cycle[i]][cycle[(i + 1) % cycle.length]];
      }
      if (sum / cycle.length < mean) {
        mean = sum / cycle.length;
        best = cycle;
      }
    }
    for (int i = 0; i < best.length; i++) {
      int state = best[(i + 1) % best.length];
      for (int use = kernels.length - 1; use >= 0; use--) {
        state = back(best[i], use, state, 1.0 / best.length, occupancy);
      }
    }
    return mean;
  }

  private static final int[][] CYCLES = {
    {FAST},
    {BOTH},
    {SLOW},
    {FAST, BOTH},
    {FAST, SLOW},
    {BOTH, SLOW},
    {FAST, BOTH, SLOW},
    {FAST, SLOW, BOTH}
  };

  /** A divisible kernel may also pass its arguments through the fast device in small pieces. */
  private double slowRead(int use) {
    return divisible[use] ? Math.min(costs.readInPlace(), costs.copyIn()) : costs.readInPlace();
  }

  private double slowWrite(int use) {
    return divisible[use] ? Math.min(costs.writeInPlace(), costs.copyOut()) : costs.writeInPlace();
  }

  private int before(int use) {
    return kernels[use == 0 ? kernels.length - 1 : use - 1];
  }

  /** Distances at a use from those at the use before it. */
  private void advance(int start, int use, double[] from, Occupancy occupancy) {
    double[] to = distance[start][use];
    int[] how = chosen[start][use];
    Arrays.fill(to, Double.POSITIVE_INFINITY);
    double price = occupancy.use(kernels[use]);
    double hold = occupancy.hold(before(use), kernels[use]);
    for (int state = 0; state < STATES; state++) {
      if (!reads[use]) {
        // Its bytes are overwritten, so they may be lost before.
        relax(to, how, FAST, from[state] + price, state * STATES + FETCHED);
        relax(to, how, SLOW, from[state] + slowWrite(use), state * STATES + IN_PLACE);
        continue;
      }
      double left = from[state] + (state == FAST ? costs.copyOut() : 0);
      int fetched = writes[use] ? FAST : BOTH;
      relax(to, how, fetched, left + costs.copyIn() + price, state * STATES + FETCHED);
      double inPlace = slowRead(use) + (writes[use] ? slowWrite(use) : 0);
      relax(to, how, SLOW, left + inPlace, state * STATES + IN_PLACE);
      if (state != SLOW) {
        int held = writes[use] ? FAST : state;
        relax(to, how, held, from[state] + hold + price, state * STATES + HELD);
      }
    }
  }

  private static void relax(double[] to, int[] how, int state, double cost, int choice) {
    if (cost < to[state]) {
      to[state] = cost;
      how[state] = choice;
    }
  }

  /** Adds what the choice at a use occupies; returns the state before it. */
  private int back(int start, int use, int state, double share, Occupancy occupancy) {
    int choice = chosen[start][use][state];
    if (choice % STATES != IN_PLACE) {
      occupancy.addUse(kernels[use], share * bytes);
    }
    if (choice % STATES == HELD) {
      occupancy.addHold(before(use), kernels[use], share * bytes);
    }
    return choice / STATES;
  }
}
