package io.idlalayer.modelcontroller.update;

import java.util.ArrayList;
import java.util.List;

/**
 * Trainings that may overlap: runs a rule over arrivals in virtual time, and finds the optimum by
 * the literal program over all partitions into contiguous batches in O(n^2).
 */
final class Overlap {
  private Overlap() {}

  /** Costs of a trace: lambda, eps and w. */
  record Costs(double lambda, double eps, double w) {
    RuleCosts rule() {
      return new RuleCosts(lambda, eps, w);
    }

    /** The part no policy can change, per sample. */
    double kappa() {
      return lambda + eps + w * lambda;
    }
  }

  /** One update of a schedule. */
  record Update(double atSeconds, int first, int count) {}

  /** Runs a rule to the end of the trace and lets its timer fire for what is left. */
  static List<Update> run(UpdateRule rule, double[] arrivals, Costs costs) {
    List<Update> updates = new ArrayList<>();
    PendingQueue pending = new PendingQueue();
    rule.rearm(pending, costs.rule(), 0);
    for (int next = 0; next <= arrivals.length; next++) {
      long now = next == arrivals.length ? Long.MAX_VALUE : nanos(arrivals[next]);
      for (long due = rule.nextFiringNanos(pending);
          due != UpdateRule.NEVER && due < now;
          due = rule.nextFiringNanos(pending)) {
        updates.add(update(rule, pending, costs, due));
      }
      if (next == arrivals.length) {
        return numbered(updates);
      }
      pending.add(now, 1);
      rule.arrived(pending, now, 1);
      while (rule.nextFiringNanos(pending) <= now) {
        updates.add(update(rule, pending, costs, now));
      }
    }
    throw new AssertionError("the loop returns");
  }

  /** Takes a batch; {@code first} is filled in by {@link #numbered}. */
  private static Update update(UpdateRule rule, PendingQueue pending, Costs costs, long atNanos) {
    int count = rule.batchSize(pending, atNanos);
    pending.removeOldest(count);
    rule.rearm(pending, costs.rule(), atNanos);
    return new Update(atNanos / 1e9, 0, count);
  }

  private static List<Update> numbered(List<Update> updates) {
    List<Update> numbered = new ArrayList<>();
    int first = 0;
    for (Update update : updates) {
      numbered.add(new Update(update.atSeconds(), first, update.count()));
      first += update.count();
    }
    return numbered;
  }

  static long nanos(double seconds) {
    return Math.round(seconds * 1e9);
  }

  /** Total waiting and training cost of a schedule: sum (t + p - a_k) + w p. */
  static double cost(List<Update> updates, double[] arrivals, Costs costs) {
    double total = 0;
    for (Update update : updates) {
      double p = costs.lambda() * update.count() + costs.eps();
      for (int k = update.first(); k < update.first() + update.count(); k++) {
        total += update.atSeconds() + p - arrivals[k];
      }
      total += costs.w() * p;
    }
    return total;
  }

  /** The cheapest schedule's cost: O(n^2). */
  static double optimum(double[] arrivals, Costs costs) {
    int n = arrivals.length;
    double[] best = new double[n + 1];
    for (int end = 1; end <= n; end++) {
      best[end] = Double.POSITIVE_INFINITY;
      double sum = 0;
      for (int first = end - 1; first >= 0; first--) {
        sum += arrivals[first];
        int s = end - first;
        double p = costs.lambda() * s + costs.eps();
        double batch = s * (arrivals[end - 1] + p) - sum + costs.w() * p;
        best[end] = Math.min(best[end], best[first] + batch);
      }
    }
    return best[n];
  }

  /** CalLat of Rang 2021: latency of one batch committed at its last arrival. */
  static double calLat(double[] arrivals, int first, int last, Costs costs) {
    double end = arrivals[last] + costs.lambda() * (last - first + 1) + costs.eps();
    double latency = 0;
    for (int k = first; k <= last; k++) {
      latency += end - arrivals[k];
    }
    return latency;
  }
}
