package io.idlalayer.middleware.placement.plan.autotm;

import java.util.Arrays;

/**
 * Finds the cheapest path of one tensor: a shortest path over its uses in three states, which are
 * fast and changed since its last copy, fast with an equal slow copy, and only slow. The path of a
 * lasting tensor ends in the state in which it began. One thread.
 *
 * <p>Source: Hildebrand 2020, section 4, with the states read so that a tensor is written to the
 * slow device at most once after each change.
 */
final class PathSearch {
  private static final int CHANGED = 0;
  private static final int CLEAN = 1;
  private static final int SLOW = 2;
  private static final int STATES = 3;

  private enum Step {
    NONE,
    STAY,
    LEAVE,
    ENTER,
    BOTH,
    DROP,
    DROP_AND_ENTER
  }

  /** A path and its cost. */
  record Found(TensorPath path, double cost) {}

  private final Form form;
  private final int steps;
  private final SearchLimits.Deadline deadline;
  private final GapCosts costs = new GapCosts();
  private double[] stay = new double[0];
  private GapCosts.Window[] leave = new GapCosts.Window[0];
  private GapCosts.Window[] enter = new GapCosts.Window[0];
  private GapCosts.Pair[] both = new GapCosts.Pair[0];
  private double[][] distance = new double[0][];
  private int[][] from = new int[0][];
  private Step[][] how = new Step[0][];

  /**
   * @param steps number of kernels of a step
   * @param deadline end of the search
   */
  PathSearch(Form form, int steps, SearchLimits.Deadline deadline) {
    this.form = form;
    this.steps = steps;
    this.deadline = deadline;
  }

  /**
   * Returns the cheapest path.
   *
   * @throws io.idlalayer.middleware.placement.plan.PlanRefusedException if the time is over
   */
  Found cheapest(Flow flow, Charges charges) {
    deadline.check();
    return form == Form.STATIC ? cheapestConstant(flow, charges) : cheapestMoving(flow, charges);
  }

  private Found cheapestConstant(Flow flow, Charges charges) {
    double fast = 0;
    double slow = 0;
    for (int use = 0; use < flow.uses(); use++) {
      fast += charges.fast(flow, use);
      slow += charges.slow(flow, use);
    }
    for (int gap = 0; gap < flow.gaps(); gap++) {
      costs.reset();
      charges.gap(flow, gap, costs);
      fast += costs.stay();
    }
    return new Found(flow.constant(fast <= slow), Math.min(fast, slow));
  }

  private Found cheapestMoving(Flow flow, Charges charges) {
    prepare(flow, charges);
    double[] fast = new double[flow.uses()];
    double[] slow = new double[flow.uses()];
    for (int use = 0; use < fast.length; use++) {
      fast[use] = charges.fast(flow, use);
      slow[use] = charges.slow(flow, use);
    }
    if (!flow.lasting()) {
      double[] first = distance[0];
      first[CHANGED] = fast[0];
      first[CLEAN] = Double.POSITIVE_INFINITY;
      first[SLOW] = slow[0];
      for (int use = 1; use < flow.uses(); use++) {
        advance(flow, use, distance[use - 1], fast[use], slow[use]);
      }
      return best(flow, cheapestOf(distance[flow.uses() - 1]));
    }
    Found best = cycle(flow, SLOW, fast, slow);
    for (int start = CHANGED; start < SLOW; start++) {
      Found other = cycle(flow, start, fast, slow);
      best = other.cost() < best.cost() ? other : best;
    }
    return best;
  }

  /** Returns the cheapest path that begins and ends in a state; costs infinity if there is none. */
  private Found cycle(Flow flow, int start, double[] fast, double[] slow) {
    double[] begin = new double[STATES];
    Arrays.fill(begin, Double.POSITIVE_INFINITY);
    begin[start] = 0;
    for (int use = 0; use < flow.uses(); use++) {
      advance(flow, use, use == 0 ? begin : distance[use - 1], fast[use], slow[use]);
    }
    double cost = distance[flow.uses() - 1][start];
    return cost < Double.POSITIVE_INFINITY
        ? best(flow, start)
        : new Found(flow.constant(false), cost);
  }

  private static int cheapestOf(double[] last) {
    int end = SLOW;
    for (int state = 0; state < STATES; state++) {
      end = last[state] < last[end] ? state : end;
    }
    return end;
  }

  private void prepare(Flow flow, Charges charges) {
    if (distance.length < flow.uses()) {
      int room = 2 * flow.uses();
      stay = new double[room];
      leave = new GapCosts.Window[room];
      enter = new GapCosts.Window[room];
      both = new GapCosts.Pair[room];
      distance = new double[room][STATES];
      from = new int[room][STATES];
      how = new Step[room][STATES];
    }
    for (int gap = 0; gap < flow.gaps(); gap++) {
      costs.reset();
      charges.gap(flow, gap, costs);
      stay[gap] = costs.stay();
      leave[gap] = costs.cheapestLeave();
      enter[gap] = costs.cheapestEnter();
      both[gap] = costs.cheapestPair(flow.length(gap, steps));
    }
  }

  private void advance(Flow flow, int use, double[] before, double fast, double slow) {
    int gap = use == 0 ? flow.uses() - 1 : use - 1;
    Arrays.fill(distance[use], Double.POSITIVE_INFINITY);
    boolean writes = flow.writes()[use];
    int fetched = writes ? CHANGED : CLEAN;
    relax(use, SLOW, before[SLOW] + slow, SLOW, Step.NONE);
    relax(use, fetched, before[SLOW] + enter[gap].cost() + fast, SLOW, Step.ENTER);
    relax(use, CHANGED, before[CHANGED] + stay[gap] + fast, CHANGED, Step.STAY);
    relax(use, fetched, before[CLEAN] + stay[gap] + fast, CLEAN, Step.STAY);
    relax(use, SLOW, before[CHANGED] + leave[gap].cost() + slow, CHANGED, Step.LEAVE);
    relax(use, fetched, before[CHANGED] + both[gap].cost() + fast, CHANGED, Step.BOTH);
    relax(use, SLOW, before[CLEAN] + slow, CLEAN, Step.DROP);
    relax(use, fetched, before[CLEAN] + enter[gap].cost() + fast, CLEAN, Step.DROP_AND_ENTER);
  }

  private void relax(int use, int to, double cost, int state, Step step) {
    if (cost < distance[use][to]) {
      distance[use][to] = cost;
      from[use][to] = state;
      how[use][to] = step;
    }
  }

  private Found best(Flow flow, int end) {
    TensorPath path = flow.constant(false);
    double cost = distance[flow.uses() - 1][end];
    int state = end;
    for (int use = flow.uses() - 1; use >= 0; use--) {
      path.fast()[use] = state != SLOW;
      if (use == 0 && !flow.lasting()) {
        break;
      }
      int gap = use == 0 ? flow.uses() - 1 : use - 1;
      record(path, gap, how[use][state]);
      state = from[use][state];
    }
    return new Found(path, cost);
  }

  private void record(TensorPath path, int gap, Step step) {
    switch (step) {
      case NONE, STAY -> {}
      case LEAVE -> path.leave()[gap] = leave[gap].kernels();
      case ENTER -> path.enter()[gap] = enter[gap].kernels();
      case BOTH -> {
        path.leave()[gap] = both[gap].leave();
        path.enter()[gap] = both[gap].enter();
      }
      case DROP -> path.leave()[gap] = 0;
      case DROP_AND_ENTER -> {
        path.leave()[gap] = 0;
        path.enter()[gap] = enter[gap].kernels();
      }
    }
  }
}
