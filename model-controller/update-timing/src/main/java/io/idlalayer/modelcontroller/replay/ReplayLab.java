package io.idlalayer.modelcontroller.replay;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.modelcontroller.optimum.OneMachineOptimum;
import io.idlalayer.modelcontroller.optimum.OverlapOptimum;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Runs update rules on one recorded trace and compares their costs with the optimum. */
public final class ReplayLab {
  /**
   * Largest number of samples for which the exact optimum on one machine is computed; for longer
   * traces a lower bound is computed.
   */
  static final long EXACT_SAMPLES = 2_000_000;

  /** Largest number of samples per update that the search for the best count tries. */
  private static final int MOST_COUNT = 1_000_000;

  private static final long BUDGET = 400_000_000L;

  private final ArrivalTrace trace;
  private final ScheduleCosts costs;
  private final Machine machine;

  public ReplayLab(ArrivalTrace trace, ScheduleCosts costs, Machine machine) {
    this.trace = trace;
    this.costs = costs;
    this.machine = machine;
  }

  /**
   * The cost of the cheapest schedule.
   *
   * @param cost J* in sample-seconds
   * @param exact false if the cost is only a lower bound, namely the optimum if trainings are
   *     allowed to overlap
   */
  public record Optimum(double cost, boolean exact, double wallSeconds) {}

  /** Runs a rule with its parameters and its limits. */
  public RuleOutcome runWithLimits(UpdateSettings settings) {
    return VirtualRun.withLimits(settings, costs, machine).run(settings.rule().key(), trace);
  }

  /** Runs a rule with its parameters, without limits. */
  public RuleOutcome run(UpdateSettings settings) {
    return new VirtualRun(settings, costs, machine).run(settings.rule().key(), trace);
  }

  /**
   * Runs a rule with its parameters, without limits, and calls the listener when a training starts.
   */
  public RuleOutcome run(UpdateSettings settings, VirtualRun.UpdateListener listener) {
    return new VirtualRun(settings, costs, machine)
        .listener(listener)
        .run(settings.rule().key(), trace);
  }

  /** Returns the period with the lowest cost in hindsight, in seconds, without limits. */
  public double bestPeriodSeconds() {
    return bestPeriodSeconds(this::run);
  }

  /**
   * Returns the period with the lowest cost in hindsight, in seconds, for updates that respect the
   * limits.
   */
  public double bestPeriodSeconds(Limits limits) {
    return bestPeriodSeconds(settings -> runWithLimits(settings.with(limits)));
  }

  private double bestPeriodSeconds(Function<UpdateSettings, RuleOutcome> runs) {
    double longest = Math.max(trace.spanSeconds(), 1e-3);
    double shortest =
        Math.max(
            1e-6, Math.min(longest / 2, (costs.fixedSeconds() + costs.secondsPerSample()) / 8));
    DoubleUnaryOperator price =
        period ->
            runs.apply(tuned(RuleName.PERIODIC, Tuning.defaults().withPeriodSeconds(period)))
                .cost();
    double best = BestParameter.of(shortest, longest, price);
    double least = price.applyAsDouble(best);
    // If arrivals are regular, the best period is often a round number, which the search would
    // miss.
    for (double period : roundPeriods(shortest, longest).toArray()) {
      double cost = price.applyAsDouble(period);
      if (cost < least) {
        least = cost;
        best = period;
      }
    }
    return best;
  }

  /**
   * Returns the round periods in seconds between two bounds: 1, 2 and 5 times each power of ten.
   */
  public static DoubleStream roundPeriods(double shortest, double longest) {
    int first = (int) Math.floor(Math.log10(shortest));
    int last = (int) Math.ceil(Math.log10(longest));
    return IntStream.rangeClosed(first, last)
        .mapToDouble(power -> Math.pow(10, power))
        .flatMap(unit -> DoubleStream.of(unit, 2 * unit, 5 * unit))
        .filter(period -> period >= shortest && period <= longest);
  }

  /** Returns the number of samples per update with the lowest cost in hindsight, without limits. */
  public int bestCount() {
    return bestCount(MOST_COUNT, this::run);
  }

  /**
   * Returns the number of samples per update with the lowest cost in hindsight, for updates that
   * respect the limits; at most the limits' largest batch.
   */
  public int bestCount(Limits limits) {
    return bestCount(limits.maxBatch(), settings -> runWithLimits(settings.with(limits)));
  }

  private int bestCount(int most, Function<UpdateSettings, RuleOutcome> runs) {
    double largest = Math.min(Math.min(MOST_COUNT, most), Math.max(2, (double) trace.arrivals()));
    if (largest < 2) {
      return 1;
    }
    DoubleUnaryOperator price =
        count -> runs.apply(tuned(RuleName.COUNT, Tuning.defaults().withCount((int) count))).cost();
    return (int) BestParameter.of(1, largest, price);
  }

  private UpdateSettings tuned(RuleName rule, Tuning tuning) {
    return UpdateSettings.of(rule, Math.max(costs.weight(), Double.MIN_NORMAL)).with(tuning);
  }

  /**
   * Returns the cost of the cheapest schedule; the outcomes of rules that ran on this trace make
   * the search shorter.
   */
  public Optimum optimum(List<RuleOutcome> known) {
    long began = System.nanoTime();
    double unavoidable = unavoidable();
    if (machine == Machine.ONE && trace.arrivals() <= EXACT_SAMPLES) {
      double cheapest =
          known.stream().mapToDouble(RuleOutcome::cost).min().orElse(Double.MAX_VALUE);
      // In a virtual run, a training lasts a whole number of nanoseconds.
      double slack = 1e-9 * trace.arrivals() * (2 + costs.weight());
      OneMachineOptimum.Result found =
          OneMachineOptimum.of(trace.seconds(), costs, cheapest - unavoidable + slack, BUDGET);
      return new Optimum(found.cost() + unavoidable, found.exact(), since(began));
    }
    OverlapOptimum overlap = new OverlapOptimum(costs.secondsPerSample(), costs.updateCost());
    for (int run = 0; run < trace.runs(); run++) {
      overlap.arrived(trace.timeNanos(run), trace.count(run));
    }
    return new Optimum(overlap.cost() + unavoidable, machine == Machine.MANY, since(began));
  }

  /** Returns the part of every rule's cost that no schedule can change, in sample-seconds. */
  public double unavoidable() {
    return trace.arrivals() * costs.unavoidable();
  }

  /** Returns the rule's cost divided by the cost of the cheapest schedule, J / J*. */
  public double totalRatio(RuleOutcome outcome, Optimum optimum) {
    return ratio(outcome.cost(), optimum.cost());
  }

  /**
   * Returns the rule's cost divided by the cost of the cheapest schedule, both without the part
   * that no schedule can change: (J - n*kappa) / (J* - n*kappa).
   */
  public double controllableRatio(RuleOutcome outcome, Optimum optimum) {
    return ratio(outcome.cost() - unavoidable(), optimum.cost() - unavoidable());
  }

  private static double ratio(double cost, double best) {
    return best <= 0 ? 1 : cost / best;
  }

  private static double since(long began) {
    return Nanos.toSeconds(System.nanoTime() - began);
  }
}
