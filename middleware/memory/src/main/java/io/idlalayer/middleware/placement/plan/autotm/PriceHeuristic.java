package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Finds a good path of each tensor through the step, without a solver. Prices of fast memory and of
 * the copies' time are those of the best lower bound that was found. Tensors are added to an empty
 * schedule in the order of what they lose for each byte if they are slow, each on the path that is
 * cheapest at these prices in what is left; then each of them looks for a better path while the
 * others stay, for some rounds. Equal arguments give equal results, unless the time is over.
 */
final class PriceHeuristic {
  /** Changes that are smaller do not count, as share of a step. */
  private static final double SMALLEST_GAIN = 1e-7;

  private final Form form;
  private final Effort effort;
  private final SearchLimits.Deadline deadline;

  /**
   * Numbers of tries.
   *
   * @param guided number of iterations of prices at fixed weights
   * @param weighed number of iterations of prices and weights
   * @param rounds number of rounds in which each tensor looks for a better path
   * @param tries number of tries of the exact search in a small step
   */
  record Effort(int guided, int weighed, int rounds, long tries) {
    static final Effort DEFAULT = new Effort(100, 200, 4, 200_000);
  }

  /** A share of the prices and a share of kernels' time for copies. */
  private record Variant(double rentShare, double hidden) {}

  private static final List<Variant> GUIDED = List.of(new Variant(1, 1), new Variant(0.3, 0.95));

  private static final double[] UNGUIDED_HIDDEN = {1, 0.95, 0.9, 0.8};

  /** Weights of copies at which prices guide schedules. */
  private static final double[] COPYING = {0.05, 0.2, 0.4};

  /**
   * @param deadline end of the search
   */
  PriceHeuristic(Form form, Effort effort, SearchLimits.Deadline deadline) {
    this.form = form;
    this.effort = effort;
    this.deadline = deadline;
  }

  /**
   * What was found.
   *
   * @param schedules best first; at least one
   * @param guides prices by which they were made
   * @param boundNanos time of a step that no plan of the form is below, in nanoseconds
   */
  record Found(List<Schedule> schedules, List<Prices> guides, double boundNanos) {}

  /**
   * Finds prices and schedules. When the time limit is reached, only the schedules that are
   * complete by then are kept.
   *
   * @throws PlanRefusedException if there is none
   */
  Found run(FlowGraph graph) {
    List<Schedule> schedules = new Search(graph, new Prices(graph, form, deadline)).unguided();
    Climb climb;
    try {
      climb = climb(graph, form, schedules.get(0).nanos());
    } catch (PlanRefusedException late) {
      return new Found(bestFirst(schedules), List.of(), graph.fastNanos());
    }
    return found(graph, schedules, climb.guides(), climb.boundNanos());
  }

  /**
   * Finds schedules for other limits at the prices that were found before.
   *
   * @throws PlanRefusedException if the time is over before any is found
   */
  Found again(FlowGraph graph, Found before) {
    List<Schedule> schedules = new Search(graph, new Prices(graph, form, deadline)).unguided();
    return found(graph, schedules, before.guides(), before.boundNanos());
  }

  /**
   * Returns two schedules: that of the given paths, and one in which each tensor has then been
   * moved to a better path if there was one.
   *
   * @throws PlanRefusedException if the time is over
   */
  List<Schedule> improved(FlowGraph graph, List<TensorPath> paths) {
    return new Search(graph, new Prices(graph, form, deadline)).improved(paths);
  }

  /**
   * Returns a schedule and those that were found to be faster, the fastest first.
   *
   * @param nanos what the moves of a schedule take
   * @param tries how many other schedules are tried
   * @param seed seed of the random choices
   */
  List<Schedule> rebuilt(
      FlowGraph graph, Schedule schedule, ToLongFunction<Schedule> nanos, int tries, long seed) {
    PathSearch paths = new PathSearch(form, graph.steps(), deadline);
    return new Rebuilding(graph, paths, nanos, seed).run(schedule, tries);
  }

  /** Returns a lower bound, in nanoseconds, of a step under any plan of any form. */
  double bound(FlowGraph graph, Found found) {
    if (form == Form.WINDOWS) {
      return found.boundNanos();
    }
    try {
      return climb(graph, Form.WINDOWS, found.schedules().get(0).nanos()).boundNanos();
    } catch (PlanRefusedException late) {
      return graph.fastNanos();
    }
  }

  /**
   * Prices.
   *
   * @param guides by which schedules are made, the best bound's last
   */
  private record Climb(List<Prices> guides, double boundNanos) {}

  /**
   * Climbs with fixed weights first: where all copies can be hidden, the best bound has no price at
   * all, and does not say what should leave.
   */
  private Climb climb(FlowGraph graph, Form climbed, double reached) {
    List<Prices> guides = new ArrayList<>();
    double bound = graph.fastNanos();
    Prices best = new Prices(graph, climbed, deadline);
    if (climbed == Form.WINDOWS) {
      double most = Double.NEGATIVE_INFINITY;
      for (double copying : COPYING) {
        Prices prices = new Prices(graph, climbed, deadline);
        prices.copying(copying);
        double value = new PriceAscent(graph, climbed, prices, false).run(reached, effort.guided());
        bound = Math.max(bound, relaxed(graph, prices, value));
        guides.add(prices);
        if (value > most) {
          most = value;
          best.set(prices);
        }
      }
    }
    double value = new PriceAscent(graph, climbed, best, true).run(reached, effort.weighed());
    guides.add(best);
    return new Climb(guides, Math.max(bound, relaxed(graph, best, value)));
  }

  /** Gives small tensors no memory, since a plan might move them as well. */
  private static double relaxed(FlowGraph graph, Prices prices, double bound) {
    double relaxed = bound;
    for (int k = 0; k < graph.steps(); k++) {
      relaxed -= prices.memory[k] * graph.smallBytes()[k];
    }
    return relaxed;
  }

  private Found found(
      FlowGraph graph, List<Schedule> schedules, List<Prices> guides, double bound) {
    try {
      for (Prices prices : guides) {
        schedules.addAll(new Search(graph, prices).guided());
      }
      if (!guides.isEmpty() && ExactSearch.isSmall(graph)) {
        addExact(graph, schedules, guides.get(guides.size() - 1));
      }
    } catch (PlanRefusedException late) {
      // There are others.
    }
    return new Found(bestFirst(schedules), guides, bound);
  }

  /** Adds the schedule that is found by trying all paths of a small step. */
  private void addExact(FlowGraph graph, List<Schedule> schedules, Prices last) {
    if (form == Form.WINDOWS) {
      Found waiting = new PriceHeuristic(Form.SYNCHRONOUS, effort, deadline).run(graph);
      schedules.add(waiting.schedules().get(0).in(form, last));
    } else {
      Schedule best = bestFirst(schedules).get(0);
      schedules.add(0, ExactSearch.run(graph, form, last, best, effort.tries()));
    }
  }

  private static List<Schedule> bestFirst(List<Schedule> schedules) {
    schedules.sort(Comparator.comparingDouble(Schedule::nanos));
    return schedules;
  }

  /** Makes schedules for one graph at some prices. */
  private final class Search {
    private final FlowGraph graph;
    private final Prices prices;
    private final PathSearch paths;

    Search(FlowGraph graph, Prices prices) {
      this.graph = graph;
      this.prices = prices;
      paths = new PathSearch(form, graph.steps(), deadline);
    }

    /** Makes schedules that prices guide. */
    List<Schedule> guided() {
      double[] profits = profits();
      double[] densities = densities();
      List<Schedule> schedules = new ArrayList<>();
      for (Variant variant : GUIDED) {
        schedules.add(schedule(variant, profits));
        schedules.add(schedule(variant, densities));
      }
      return schedules;
    }

    /**
     * Makes schedules in which nothing has a price; if the time is over, those that are whole.
     *
     * @throws PlanRefusedException if there is none
     */
    List<Schedule> unguided() {
      double[] densities = densities();
      List<Schedule> schedules = new ArrayList<>();
      for (double hidden : UNGUIDED_HIDDEN) {
        try {
          schedules.add(schedule(new Variant(0, hidden), densities));
        } catch (PlanRefusedException late) {
          if (schedules.isEmpty()) {
            throw late;
          }
          break;
        }
      }
      return schedules;
    }

    List<Schedule> improved(List<TensorPath> given) {
      Schedule first = new Schedule(graph, form, prices, 0, 1);
      Schedule better = new Schedule(graph, form, prices, 0, 1);
      int[] order = order(densities());
      for (int flow : order) {
        first.add(flow, given.get(flow));
        better.add(flow, given.get(flow));
      }
      descend(better, order, effort.rounds());
      return List.of(first, better);
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

    /**
     * Returns the time that each flow loses if it is slow, for each byte and each kernel of its
     * life.
     */
    double[] densities() {
      Charges empty = new Schedule(graph, form, prices, 0, 1);
      double[] densities = new double[graph.flows().size()];
      for (int i = 0; i < densities.length; i++) {
        Flow flow = graph.flows().get(i);
        int life = flow.lasting() ? graph.steps() : flow.retired() - flow.kernels()[0] + 1;
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
      int[] order = order(keys);
      Schedule schedule = new Schedule(graph, form, prices, variant.rentShare(), variant.hidden());
      for (int flow : order) {
        schedule.add(flow, paths.cheapest(graph.flows().get(flow), schedule).path());
      }
      descend(schedule, order, effort.rounds());
      return schedule;
    }

    private static int[] order(double[] keys) {
      return IntStream.range(0, keys.length)
          .boxed()
          .sorted(Comparator.comparingDouble((Integer flow) -> -keys[flow]))
          .mapToInt(Integer::intValue)
          .toArray();
    }

    private void descend(Schedule schedule, int[] order, int rounds) {
      for (int round = 0; round < rounds; round++) {
        if (!descend(schedule, order)) {
          break;
        }
      }
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
