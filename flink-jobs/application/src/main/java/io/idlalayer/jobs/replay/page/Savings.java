package io.idlalayer.jobs.replay.page;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The costs of keeping a model current on recorded arrivals, and the times for which samples would
 * have waited: by the rule {@code adaptive}, by training without a pause, and at fixed intervals.
 *
 * @param adaptive result of the rule {@code adaptive}
 * @param continuous result of training whenever the machine is free
 * @param usual results of the usual intervals that fit the recording, from short to long
 * @param sweep results of many intervals, from short to long
 * @param asFresh interval with the least training time among the intervals whose mean wait is at
 *     most that of the rule; null if there is none
 * @param asCheap interval with the shortest mean wait among the intervals whose training time is at
 *     most that of the rule; null if there is none
 * @param bestCost lowest possible cost of a schedule, or a lower bound of this cost, in
 *     sample-seconds
 * @param exact whether {@code bestCost} is the exact cost
 */
public record Savings(
    ArrivalTrace trace,
    ScheduleCosts costs,
    Machine machine,
    Way adaptive,
    Way continuous,
    List<Way> usual,
    List<Way> sweep,
    @Nullable Way asFresh,
    @Nullable Way asCheap,
    double bestCost,
    boolean exact) {
  private static final int SWEEP = 160;
  private static final int HALVINGS = 8;

  /**
   * Largest number of trainings of an interval in the sweep, so that the sweep takes bounded time.
   */
  private static final double MOST_TRAININGS = 100_000;

  private static final double LEAST_SECONDS = 1e-3;

  /** Shortest interval of the sweep, as a share of the recording. */
  private static final double LEAST_SHARE = 1e-9;

  /** Number of parts of the recording whose trainings are counted. */
  static final int PARTS = 120;

  /** The usual intervals, in seconds. */
  private static final List<Double> USUAL =
      List.of(1.0, 10.0, 60.0, 600.0, 3_600.0, 6 * 3_600.0, 86_400.0, 7 * 86_400.0);

  public Savings {
    usual = List.copyOf(usual);
    sweep = List.copyOf(sweep);
  }

  /**
   * A way to keep a model current.
   *
   * @param periodSeconds interval between trainings; NaN if there is none
   * @param trainings number of trainings that started in each part of the recording; trainings
   *     after its end count for the last part
   */
  public record Way(RuleOutcome outcome, double periodSeconds, long[] trainings) {
    /** Returns the mean time in seconds from a sample's arrival to the end of its training. */
    public double meanWaitSeconds() {
      return outcome.meanLatencySeconds();
    }

    /** Returns the time in seconds of all trainings. */
    public double trainingSeconds() {
      return outcome.machineSeconds();
    }
  }

  /** Simulates all ways. */
  public static Savings of(ArrivalTrace trace, ScheduleCosts costs, Machine machine) {
    return new Simulation(trace, costs, machine).savings();
  }

  /** Runs the ways one after the other. */
  private record Simulation(
      ArrivalTrace trace, ScheduleCosts costs, Machine machine, ReplayLab lab) {
    Simulation(ArrivalTrace trace, ScheduleCosts costs, Machine machine) {
      this(trace, costs, machine, new ReplayLab(trace, costs, machine));
    }

    Savings savings() {
      double span = Math.max(trace.spanSeconds(), LEAST_SECONDS);
      // An interval without events has no training, so few events bound the work as well.
      double finest = trace.runs() <= MOST_TRAININGS ? LEAST_SHARE : 1 / MOST_TRAININGS;
      double shortest = Math.min(span / 4, Math.max(costs.seconds(1) / 4, span * finest));
      List<Way> sweep = new ArrayList<>();
      for (int i = 0; i < SWEEP; i++) {
        sweep.add(periodic(shortest * Math.pow(span / 2 / shortest, i / (SWEEP - 1.0))));
      }
      double least = shortest;
      List<Way> usual =
          USUAL.stream()
              .filter(period -> period >= Math.max(costs.fixedSeconds(), least))
              .filter(period -> period <= span / 2)
              .map(this::periodic)
              .toList();
      // If arrivals are regular, the best interval is often a round number, which a sweep would
      // miss.
      List<Way> all = new ArrayList<>(sweep);
      all.addAll(usual);
      for (double period : ReplayLab.roundPeriods(shortest, span / 2).toArray()) {
        all.add(periodic(period));
      }
      all.sort(Comparator.comparingDouble(Way::periodSeconds));
      Way adaptive = way(UpdateSettings.of(RuleName.ADAPTIVE, weight()), Double.NaN);
      Way continuous = way(UpdateSettings.of(RuleName.BEST_EFFORT, weight()), Double.NaN);
      List<RuleOutcome> known = new ArrayList<>(List.of(adaptive.outcome(), continuous.outcome()));
      all.forEach(each -> known.add(each.outcome()));
      ReplayLab.Optimum best = lab.optimum(known);
      double fresh = adaptive.meanWaitSeconds();
      double cheap = adaptive.trainingSeconds();
      return new Savings(
          trace,
          costs,
          machine,
          adaptive,
          continuous,
          usual,
          sweep,
          best(all, Way::meanWaitSeconds, fresh, Way::trainingSeconds),
          best(all, Way::trainingSeconds, cheap, Way::meanWaitSeconds),
          best.cost(),
          best.exact());
    }

    /**
     * Returns the interval with the least {@code price} among the intervals whose {@code bounded}
     * number is at most a bound. Intervals between the given intervals, which must be in order, are
     * tried too.
     */
    private @Nullable Way best(
        List<Way> ways, ToDoubleFunction<Way> bounded, double bound, ToDoubleFunction<Way> price) {
      Way best = null;
      for (int i = 0; i < ways.size(); i++) {
        Way inside = ways.get(i);
        if (bounded.applyAsDouble(inside) > bound) {
          continue;
        }
        best = cheaper(best, inside, price);
        for (int next : new int[] {i - 1, i + 1}) {
          boolean edge =
              next >= 0 && next < ways.size() && bounded.applyAsDouble(ways.get(next)) > bound;
          for (Way way : edge ? towards(inside, ways.get(next), bounded, bound) : List.<Way>of()) {
            best = cheaper(best, way, price);
          }
        }
      }
      return best;
    }

    private static Way cheaper(@Nullable Way one, Way other, ToDoubleFunction<Way> price) {
      return one == null || price.applyAsDouble(other) < price.applyAsDouble(one) ? other : one;
    }

    /**
     * Returns intervals within the bound that come closer and closer to an interval outside of the
     * bound.
     */
    private List<Way> towards(
        Way inside, Way outside, ToDoubleFunction<Way> bounded, double bound) {
      List<Way> found = new ArrayList<>();
      double in = inside.periodSeconds();
      double out = outside.periodSeconds();
      for (int i = 0; i < HALVINGS; i++) {
        Way between = periodic(Math.sqrt(in * out));
        if (bounded.applyAsDouble(between) <= bound) {
          in = between.periodSeconds();
          found.add(between);
        } else {
          out = between.periodSeconds();
        }
      }
      return found;
    }

    private double weight() {
      return Math.max(costs.weight(), Double.MIN_NORMAL);
    }

    private Way periodic(double period) {
      Tuning tuning = Tuning.defaults().withPeriodSeconds(period);
      return way(UpdateSettings.of(RuleName.PERIODIC, weight()).with(tuning), period);
    }

    private Way way(UpdateSettings settings, double period) {
      long[] trainings = new long[PARTS];
      RuleOutcome outcome =
          lab.run(settings, (atNanos, samples) -> trainings[part(trace, atNanos)]++);
      return new Way(outcome, period, trainings);
    }
  }

  private static int part(ArrivalTrace trace, long atNanos) {
    double spanNanos = Math.max(1, trace.spanSeconds() * Nanos.PER_SECOND);
    return (int) Math.min(PARTS - 1, PARTS * (atNanos / spanNanos));
  }

  /** Returns the number of arrivals in each part of the recording. */
  long[] arrivals() {
    long[] arrivals = new long[PARTS];
    for (int run = 0; run < trace.runs(); run++) {
      arrivals[part(trace, trace.timeNanos(run))] += trace.count(run);
    }
    return arrivals;
  }
}
