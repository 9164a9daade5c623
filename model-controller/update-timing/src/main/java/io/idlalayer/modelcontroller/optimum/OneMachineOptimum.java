package io.idlalayer.modelcontroller.optimum;

import java.util.Arrays;

/**
 * Computes the cheapest schedule on one machine, where a training cannot start before the previous
 * training has ended. The method is a label-setting dynamic program over states. A state has the
 * number of finished samples, the time at which the machine is free, and the cost so far. For every
 * number of samples, only the Pareto front of time and cost is kept. A state is dropped if it could
 * not beat a known schedule even if the remaining trainings were allowed to overlap.
 */
public final class OneMachineOptimum {
  private static final double TOLERANCE = 1e-9;

  private final double[] arrivals;
  private final double[] sum;
  private final ScheduleCosts costs;
  private final SuffixOptimum suffix;
  private final Front[] fronts;
  private final long budget;

  private double known;
  private long transitions;
  private long labels;

  private OneMachineOptimum(double[] arrivals, ScheduleCosts costs, double known, long budget) {
    int n = arrivals.length;
    this.arrivals = arrivals;
    this.costs = costs;
    this.known = known;
    this.budget = budget;
    sum = new double[n + 1];
    double[] x = new double[n];
    for (int k = 0; k < n; k++) {
      sum[k + 1] = sum[k] + arrivals[k];
      x[k] = arrivals[k] + 2 * costs.secondsPerSample() * k;
    }
    suffix = new SuffixOptimum(x, costs.updateCost());
    fronts = new Front[n + 1];
  }

  /**
   * The cost of a cheapest schedule, and the effort of the search.
   *
   * @param cost waiting and updates in sample-seconds, without the unavoidable part
   * @param exact false if the budget was spent: then the cost is only a lower bound, namely the
   *     lowest cost if trainings are allowed to overlap
   * @param labels states that were kept
   */
  public record Result(double cost, boolean exact, long labels, long transitions) {}

  /**
   * Finds the cheapest schedule of a trace of arrivals.
   *
   * @param arrivals seconds, ascending
   * @param knownCost cost of any schedule on one machine, without the unavoidable part; infinite if
   *     no schedule is known
   * @param budget largest number of transitions that the search looks at
   */
  public static Result of(double[] arrivals, ScheduleCosts costs, double knownCost, long budget) {
    double[] shifted = arrivals.clone();
    double first = arrivals.length == 0 ? 0 : arrivals[0];
    for (int k = 0; k < shifted.length; k++) {
      shifted[k] -= first;
    }
    return new OneMachineOptimum(shifted, costs, knownCost, budget).solve();
  }

  private Result solve() {
    int n = arrivals.length;
    if (n == 0 || overlapFree()) {
      return new Result(suffix.cost[0], true, 0, 0);
    }
    known += TOLERANCE * (1 + Math.abs(known));
    Front start = new Front();
    start.offer(0, 0);
    fronts[0] = start;
    for (int done = 0; done < n; done++) {
      Front front = fronts[done];
      fronts[done] = null;
      if (front == null) {
        continue;
      }
      labels += front.size;
      for (int at = 0; at < front.size; at++) {
        expand(done, front.freeAt[at], front.cost[at]);
      }
      if (transitions > budget) {
        return new Result(suffix.cost[0], false, labels, transitions);
      }
    }
    Front last = fronts[n];
    if (last == null) {
      throw new IllegalArgumentException(
          "no schedule is as cheap as the known cost of %s".formatted(known));
    }
    return new Result(last.cost[last.size - 1], true, labels, transitions);
  }

  /**
   * Returns whether no trainings overlap in the cheapest schedule for many machines. If so, this
   * schedule is also the cheapest on one machine.
   */
  private boolean overlapFree() {
    double free = 0;
    for (int i = 0; i < arrivals.length; i = suffix.end[i]) {
      int end = suffix.end[i];
      if (arrivals[end - 1] < free) {
        return false;
      }
      free = arrivals[end - 1] + costs.seconds(end - i);
    }
    return true;
  }

  private void expand(int done, double freeAt, double cost) {
    if (cost + suffix.cost[done] > known) {
      return;
    }
    int n = arrivals.length;
    for (int end = done + 1; end <= n; end++) {
      transitions++;
      double s = end - done;
      double start = Math.max(freeAt, arrivals[end - 1]);
      double after =
          cost
              + costs.updateCost()
              + s * start
              - (sum[end] - sum[done])
              + costs.secondsPerSample() * s * (s - 1);
      double bound = after + suffix.cost[end];
      if (bound - costs.updateCost() > known) {
        // A longer batch waits at least as long and saves at most one update.
        return;
      }
      if (bound <= known) {
        double free = start + costs.seconds(end - done);
        if (end < n) {
          free = Math.max(free, arrivals[end]);
        }
        Front front = fronts[end];
        if (front == null) {
          front = new Front();
          fronts[end] = front;
        }
        front.offer(free, after);
      }
    }
  }

  /**
   * The Pareto front of the states with an equal number of finished samples: no state of the front
   * is worse than another state both in cost and in the time at which the machine is free. The
   * states are sorted: the times rise and the costs fall.
   */
  private static final class Front {
    double[] freeAt = new double[4];
    double[] cost = new double[4];
    int size;

    void offer(double free, double price) {
      int at = Arrays.binarySearch(freeAt, 0, size, free);
      at = at < 0 ? -at - 1 : at;
      boolean beatenBefore = at > 0 && cost[at - 1] <= price;
      boolean beatenHere = at < size && freeAt[at] == free && cost[at] <= price;
      if (beatenBefore || beatenHere) {
        return;
      }
      int worse = at;
      while (worse < size && cost[worse] >= price) {
        worse++;
      }
      int wanted = size - (worse - at) + 1;
      if (wanted > freeAt.length) {
        freeAt = Arrays.copyOf(freeAt, wanted * 2);
        cost = Arrays.copyOf(cost, wanted * 2);
      }
      System.arraycopy(freeAt, worse, freeAt, at + 1, size - worse);
      System.arraycopy(cost, worse, cost, at + 1, size - worse);
      freeAt[at] = free;
      cost[at] = price;
      size = wanted;
    }
  }
}
