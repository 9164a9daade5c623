package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;

/**
 * Improves a schedule in which something waits: removes some tensors that are alive at a kernel
 * that waits, adds them again in another order, each on its cheapest path, and keeps the result if
 * its moves take less time. Equal arguments give equal results, unless the time is over. One
 * thread.
 *
 * <p>This is a large neighbourhood search.
 */
final class Rebuilding {
  /** Most tensors that are removed at a time, with the fewest two. */
  private static final int MOST = 14;

  /** The moves of a schedule are looked at if it takes at most this many times as long. */
  private static final double NEAR = 1.005;

  private final FlowGraph graph;
  private final PathSearch paths;
  private final ToLongFunction<Schedule> nanos;
  private final long seed;

  /**
   * @param paths finds paths in the schedules that are improved
   * @param nanos what the moves of a schedule take
   * @param seed seed of the random choices
   */
  Rebuilding(FlowGraph graph, PathSearch paths, ToLongFunction<Schedule> nanos, long seed) {
    this.graph = graph;
    this.paths = paths;
    this.nanos = nanos;
    this.seed = seed;
  }

  /**
   * Returns a schedule and those that were found to be faster, the fastest first.
   *
   * @param tries how many times tensors are removed
   */
  List<Schedule> run(Schedule first, int tries) {
    if (tries == 0) {
      return List.of(first);
    }
    List<Schedule> better = new ArrayList<>(List.of(first));
    Random random = new Random(seed);
    Schedule best = first;
    long least = nanos.applyAsLong(first);
    try {
      for (int i = 0; i < tries; i++) {
        int[] waiting = best.waiting();
        if (waiting.length == 0) {
          break;
        }
        Schedule trial = rebuilt(best, waiting[random.nextInt(waiting.length)], random);
        long found =
            trial.nanos() > NEAR * best.nanos() ? Long.MAX_VALUE : nanos.applyAsLong(trial);
        if (found < least) {
          better.add(0, trial);
        }
        if (found <= least) {
          least = found;
          best = trial;
        }
      }
    } catch (PlanRefusedException late) {
      // The others are whole.
    }
    return better;
  }

  private Schedule rebuilt(Schedule schedule, int kernel, Random random) {
    List<Integer> near = alive(kernel);
    Collections.shuffle(near, random);
    List<Integer> chosen = near.subList(0, Math.min(near.size(), 2 + random.nextInt(MOST - 1)));
    Schedule trial = schedule.copy();
    chosen.forEach(trial::remove);
    for (int flow : chosen) {
      trial.add(flow, paths.cheapest(graph.flows().get(flow), trial).path());
    }
    return trial;
  }

  /** Returns the flows of the tensors that are alive at a kernel. */
  private List<Integer> alive(int kernel) {
    List<Integer> alive = new ArrayList<>();
    for (int index = 0; index < graph.flows().size(); index++) {
      Flow flow = graph.flows().get(index);
      if (flow.lasting() || (flow.kernels()[0] <= kernel && kernel <= flow.retired())) {
        alive.add(index);
      }
    }
    return alive;
  }
}
