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
  private static final long SEED = 1;

  /** Most tensors that are removed at a time, with the fewest two. */
  private static final int MOST = 14;

  /** The moves of a schedule are looked at if it takes at most this many times as long. */
  private static final double NEAR = 1.005;

  private final FlowGraph graph;
  private final PathSearch paths;
  private final ToLongFunction<Schedule> nanos;
  private final List<List<Integer>> alive = new ArrayList<>();

  /**
   * @param paths finds paths in the schedules that are improved
   * @param nanos what the moves of a schedule take
   */
  Rebuilding(FlowGraph graph, PathSearch paths, ToLongFunction<Schedule> nanos) {
    this.graph = graph;
    this.paths = paths;
    this.nanos = nanos;
    for (int k = 0; k < graph.steps(); k++) {
      alive.add(new ArrayList<>());
    }
    for (int index = 0; index < graph.flows().size(); index++) {
      Flow flow = graph.flows().get(index);
      int first = flow.lasting() ? 0 : flow.kernels()[0];
      int last = flow.lasting() ? graph.steps() - 1 : flow.retired();
      for (int k = first; k <= last; k++) {
        alive.get(k).add(index);
      }
    }
  }

  /**
   * Returns a schedule and those that were found to be faster, the fastest first.
   *
   * @param tries how many times tensors are removed
   */
  List<Schedule> run(Schedule first, int tries) {
    List<Schedule> better = new ArrayList<>(List.of(first));
    Random random = new Random(SEED);
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
    List<Integer> near = new ArrayList<>(alive.get(kernel));
    Collections.shuffle(near, random);
    List<Integer> chosen = near.subList(0, Math.min(near.size(), 2 + random.nextInt(MOST - 1)));
    Schedule trial = schedule.copy();
    chosen.forEach(trial::remove);
    for (int flow : chosen) {
      trial.add(flow, paths.cheapest(graph.flows().get(flow), trial).path());
    }
    return trial;
  }
}
