package io.idlalayer.middleware.placement.plan.autotm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Finds good paths in plain Java. Prices of fast memory and of the copies' time are those of the
 * best lower bound that was found. Tensors are added to an empty schedule in the order of what they
 * lose for each byte if they are slow, each on the path that is cheapest at these prices in what is
 * left; then each of them looks for a better path while the others stay, for some rounds. Pure:
 * equal arguments give equal results.
 */
final class PriceHeuristic {
  /** Changes that are smaller do not count, as share of a step. */
  private static final double SMALLEST_GAIN = 1e-7;

  private final Form form;
  private final Effort effort;
  private final long seed;

  /**
   * Numbers of tries.
   *
   * @param iterations of the prices
   * @param orders in which tensors are added, for each share of the prices
   * @param rounds in which each tensor looks for a better path
   * @param tries of the exact search in a small step
   */
  record Effort(int iterations, int orders, int rounds, long tries) {
    static final Effort DEFAULT = new Effort(300, 2, 4, 200_000);
  }

  /** A share of the prices and a share of kernels' time for copies. */
  private record Variant(double rentShare, double hidden) {}

  private static final List<Variant> VARIANTS =
      List.of(
          new Variant(1, 1),
          new Variant(1, 0.92),
          new Variant(0.5, 0.97),
          new Variant(1.5, 0.97),
          new Variant(0, 1));

  PriceHeuristic(Form form, Effort effort, long seed) {
    this.form = form;
    this.effort = effort;
    this.seed = seed;
  }

  /**
   * What was found.
   *
   * @param schedules best first; at least one
   * @param prices of the best bound
   * @param boundNanos time of a step that no plan of the form is below, in nanoseconds
   */
  record Found(List<Schedule> schedules, Prices prices, double boundNanos) {}

  /** Finds prices and schedules. */
  Found run(FlowGraph graph) {
    Search start = new Search(graph, new Prices(graph, form));
    Schedule first = start.schedule(new Variant(0, 1), start.densities());
    PriceAscent.Result climbed =
        new PriceAscent(graph, form).run(first.nanos(), effort.iterations());
    List<Schedule> schedules = new ArrayList<>(List.of(first));
    schedules.addAll(new Search(graph, climbed.prices()).schedules());
    return found(graph, schedules, climbed.prices(), bound(graph, climbed));
  }

  /** Finds schedules for other limits at the prices that were found before. */
  Found again(FlowGraph graph, Found before) {
    List<Schedule> schedules = new ArrayList<>(new Search(graph, before.prices()).schedules());
    return found(graph, schedules, before.prices(), before.boundNanos());
  }

  private Found found(FlowGraph graph, List<Schedule> schedules, Prices prices, double bound) {
    schedules.sort(Comparator.comparingDouble(Schedule::nanos));
    if (ExactSearch.isSmall(graph, form)) {
      Schedule best = schedules.get(0);
      schedules.add(0, ExactSearch.run(graph, form, prices, best, effort.tries()));
    }
    return new Found(schedules, prices, bound);
  }

  /** Returns nanoseconds of a step that no plan is below, whatever its form. */
  double bound(FlowGraph graph, Found found) {
    if (form == Form.WINDOWS) {
      return found.boundNanos();
    }
    double reached = found.schedules().get(0).nanos();
    return bound(graph, new PriceAscent(graph, Form.WINDOWS).run(reached, effort.iterations()));
  }

  /** Gives small tensors no memory, since a plan might move them as well. */
  private static double bound(FlowGraph graph, PriceAscent.Result climbed) {
    double bound = climbed.boundNanos();
    for (int k = 0; k < graph.steps(); k++) {
      bound -= climbed.prices().memory[k] * graph.smallBytes()[k];
    }
    return Math.max(bound, graph.fastNanos());
  }

  /** Makes schedules for one graph at some prices. */
  private final class Search {
    private final FlowGraph graph;
    private final Prices prices;
    private final PathSearch paths;

    Search(FlowGraph graph, Prices prices) {
      this.graph = graph;
      this.prices = prices;
      paths = new PathSearch(form, graph.steps());
    }

    List<Schedule> schedules() {
      List<Schedule> schedules = new ArrayList<>();
      SplittableRandom random = new SplittableRandom(seed);
      double[] profits = profits();
      for (Variant variant : VARIANTS) {
        schedules.add(schedule(variant, profits));
        for (int i = 1; i < effort.orders(); i++) {
          double[] shaken =
              Arrays.stream(profits).map(profit -> profit * (1 + random.nextDouble())).toArray();
          schedules.add(schedule(variant, shaken));
        }
      }
      return schedules;
    }

  /** What each flow loses for a byte if it is slow and not on its cheapest path. */
    private double[] profits() {
      double[] profits = new double[graph.flows().size()];
      for (int i = 0; i < profits.length; i++) {
        Flow flow = graph.flows().get(i);
        double least = paths.cheapest(flow, prices).cost();
        profits[i] = (slowNanos(flow, prices) - least) / flow.bytes();
      }
      return profits;
    }

    /** What each flow loses for a byte and a kernel of its life if it is slow. */
    double[] densities() {
      Charges empty = new Schedule(graph, form, prices, 0, 1);
      double[] densities = new double[graph.flows().size()];
      for (int i = 0; i < densities.length; i++) {
        Flow flow = graph.flows().get(i);
        int life = flow.kept() ? graph.steps() : flow.retired() - flow.kernels()[0] + 1;
        densities[i] = slowNanos(flow, empty) / ((double) flow.bytes() * life);
      }
      return densities;
    }

    private static double slowNanos(Flow flow, Charges charges) {
      double nanos = 0;
      for (int use = 0; use < flow.uses(); use++) {
        nanos += charges.slow(flow, use);
      }
      return nanos;
    }

    /** Adds the flows with the greatest keys first. */
    Schedule schedule(Variant variant, double[] keys) {
      int[] order =
          IntStream.range(0, keys.length)
              .boxed()
              .sorted(Comparator.comparingDouble((Integer flow) -> -keys[flow]))
              .mapToInt(Integer::intValue)
              .toArray();
    Schedule schedule =
        new Schedule(graph, form, prices, variant.rentShare(), variant.hidden());
    for (int flow : order) {
      schedule.add(flow, paths.cheapest(graph.flows().get(flow), schedule).path());
    }
    for (int round = 0; round < effort.rounds(); round++) {
      if (!descend(schedule, order)) {
        break;
      }
    }
    return schedule;
  }

  /** Returns whether any flow has found a better path. */
  private boolean descend(Schedule schedule, int[] order) {
    boolean better = false;
    for (int flow : order) {
      double before = schedule.nanos();
      TensorPath old = schedule.remove(flow);
      TensorPath found = paths.cheapest(graph.flows().get(flow), schedule).path();
      schedule.add(flow, found);
      double gain = before - schedule.nanos();
      if (gain > SMALLEST_GAIN * before) {
        better = true;
      } else if (gain < 0) {
        schedule.remove(flow);
        schedule.add(flow, old);
      }
    }
    return better;
  }
}
}
