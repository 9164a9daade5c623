package io.idlalayer.console.whatif;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.replay.RecordedRun;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Computes what each update rule would have cost on the arrivals of a learner's newest updates,
 * with the optimum and the real costs. One answer is computed at a time. Safe from any thread.
 */
public final class WhatIf {
  private static final double LARGEST_WEIGHT = 1e9;

  /**
   * Largest number of different arrival times that are simulated, so that an answer needs bounded
   * time and memory.
   */
  private static final long MOST_TIMES = 500_000;

  /**
   * Largest duration that a user can enter, about a day; with longer durations, learning is not
   * online any more.
   */
  private static final double LARGEST_SECONDS = 1e5;

  /** Precision of displayed periods: few digits, so that users can read and copy them. */
  private static final MathContext PERIOD_DIGITS = new MathContext(4);

  private final Learners learners;
  private final Function<String, Optional<UpdateSettings>> settings;
  private final Semaphore turn = new Semaphore(1);

  /**
   * @param settings returns the settings of an application by its name; empty if they are unknown
   */
  public WhatIf(Learners learners, Function<String, Optional<UpdateSettings>> settings) {
    this.learners = learners;
    this.settings = settings;
  }

  /**
   * The costs of a comparison; null stands for the learner's estimate.
   *
   * @param weight number of sample-seconds of waiting that cost as much as a second of training
   * @param fixedSeconds part of a training's duration that does not depend on its size, in seconds
   * @param secondsPerSample further duration of a training for each sample, in seconds
   */
  public record Costs(
      @Nullable Double weight, @Nullable Double fixedSeconds, @Nullable Double secondsPerSample) {
    public Costs {
      check("weight", weight, Double.MIN_VALUE, LARGEST_WEIGHT);
      check("epsilon", fixedSeconds, 0, LARGEST_SECONDS);
      check("lambda", secondsPerSample, 0, LARGEST_SECONDS);
    }

    private static void check(String name, @Nullable Double value, double least, double largest) {
      if (value != null && !(value >= least && value < largest)) {
        throw new IllegalArgumentException(
            "%s must be %s and below %s, not %s"
                .formatted(name, least > 0 ? "above 0" : "0 or more", largest, value));
      }
    }

    private ScheduleCosts or(ScheduleCosts known) {
      return new ScheduleCosts(
          secondsPerSample == null ? known.secondsPerSample() : secondsPerSample,
          fixedSeconds == null ? known.fixedSeconds() : fixedSeconds,
          weight == null ? known.weight() : weight);
    }
  }

  /**
   * The costs of each update rule.
   *
   * @param problem why there is no answer; "" if there is one
   * @param fromMillis first arrival, epoch milliseconds
   * @param toMillis last arrival, epoch milliseconds
   * @param weight sample-seconds of waiting that one second of training is worth
   * @param epsilonSeconds fixed part of a training's duration, in seconds
   * @param lambdaSeconds seconds that one more sample adds to a training
   * @param optimum the best schedule; null if there is no answer
   * @param rows the results, cheapest first
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Answer(
      String problem,
      long arrivals,
      long fromMillis,
      long toMillis,
      double weight,
      double epsilonSeconds,
      double lambdaSeconds,
      @Nullable Optimum optimum,
      List<Row> rows) {
    static Answer none(String problem) {
      return new Answer(problem, 0, 0, 0, 0, 0, 0, null, List.of());
    }
  }

  /** The cost of the best schedule, in sample-seconds. If it is not exact, it is a lower bound. */
  public record Optimum(double cost, boolean exact, double unavoidable) {}

  /**
   * The result of a rule, or the real run.
   *
   * @param parameter readable settings that differ from defaults, or that were chosen in hindsight
   * @param configured whether these are the settings of the application; its limits apply to all
   *     rules
   * @param yaml lines of an application file with these settings; "" for the real run
   */
  public record Row(
      String rule,
      String parameter,
      boolean asItHappened,
      boolean configured,
      double totalRatio,
      double controllableRatio,
      double meanLatencySeconds,
      double p99LatencySeconds,
      long updates,
      double machineSeconds,
      double cost,
      String yaml) {}

  /** A rule with its settings, to be simulated. */
  private record Candidate(UpdateSettings settings, String parameter, boolean configured) {}

  /**
   * A copy of the parts of the history that the simulation needs, so that the history is not locked
   * during the simulation.
   */
  private record Recorded(
      ArrivalTrace trace, long firstMillis, ScheduleCosts costs, RuleOutcome outcome) {}

  /** Thrown if a comparison is requested while another comparison is being computed. */
  public static final class BusyException extends Exception {
    private static final long serialVersionUID = 1L;

    BusyException() {
      super("another comparison is being computed; try again in a few seconds");
    }
  }

  /**
   * Simulates all update rules on the arrivals of a learner's newest updates.
   *
   * @return the answer; empty if the learner is unknown
   * @throws BusyException if another answer is being computed
   */
  public Optional<Answer> answer(String learner, Costs asked) throws BusyException {
    if (!turn.tryAcquire()) {
      throw new BusyException();
    }
    try {
      Optional<UpdateSettings> configured =
          settings.apply(learner.substring(0, Math.max(0, learner.lastIndexOf('/'))));
      return learners
          .replayed(learner, run -> Optional.ofNullable(recorded(run, asked)))
          .map(
              known ->
                  known
                      .map(it -> simulate(it, configured))
                      .orElseGet(
                          () ->
                              Answer.none(
                                  "the console has not read an accepted update with all its"
                                      + " arrival times yet, so there is nothing to compare;"
                                      + " updates with too many arrival times are left out")));
    } finally {
      turn.release();
    }
  }

  private static @Nullable Recorded recorded(RecordedRun whole, Costs asked) {
    RecordedRun run = whole.newest(MOST_TIMES);
    if (run.updates() == 0) {
      return null;
    }
    ArrivalTrace trace = run.trace();
    if (trace.arrivals() == 0) {
      return null;
    }
    ScheduleCosts costs = asked.or(run.costs());
    return new Recorded(trace, run.firstArrivalMillis(), costs, run.outcome(costs.weight()));
  }

  private static Answer simulate(Recorded known, Optional<UpdateSettings> configured) {
    ScheduleCosts costs = known.costs();
    ReplayLab lab = new ReplayLab(known.trace(), costs, Machine.ONE);
    List<Candidate> candidates = candidates(lab, costs.weight(), configured);
    List<RuleOutcome> virtual =
        candidates.stream().map(each -> lab.runWithLimits(each.settings())).toList();
    ReplayLab.Optimum optimum = lab.optimum(virtual);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < candidates.size(); i++) {
      rows.add(row(lab, optimum, virtual.get(i), candidates.get(i)));
    }
    rows.add(row(lab, optimum, known.outcome(), null));
    rows.sort(Comparator.comparingDouble(Row::cost));
    ArrivalTrace trace = known.trace();
    return new Answer(
        "",
        trace.arrivals(),
        known.firstMillis(),
        known.firstMillis() + Math.round(1e3 * trace.spanSeconds()),
        costs.weight(),
        costs.fixedSeconds(),
        costs.secondsPerSample(),
        new Optimum(optimum.cost(), optimum.exact(), lab.unavoidable()),
        rows);
  }

  /**
   * Returns the configured rule with its settings, and the other rules. All of them respect the
   * limits in the settings.
   */
  private static List<Candidate> candidates(
      ReplayLab lab, double weight, Optional<UpdateSettings> known) {
    UpdateSettings base = known.orElseGet(UpdateSettings::defaults);
    List<Candidate> candidates = new ArrayList<>();
    for (RuleName rule : RuleName.values()) {
      UpdateSettings others =
          new UpdateSettings(
              rule,
              weight,
              UpdateSettings.Tuning.defaults(),
              base.limits(),
              base.drift(),
              base.machinePricePerSecond());
      boolean configured = known.isPresent() && rule == base.rule();
      if (configured) {
        UpdateSettings own = others.with(base.tuning());
        candidates.add(new Candidate(own, String.join(", ", UpdateYaml.settings(own)), true));
      }
      if (rule == RuleName.PERIODIC || rule == RuleName.COUNT) {
        candidates.add(bestInHindsight(lab, others));
      } else if (!configured) {
        candidates.add(new Candidate(others, "", false));
      }
    }
    return candidates;
  }

  private static Candidate bestInHindsight(ReplayLab lab, UpdateSettings settings) {
    if (settings.rule() == RuleName.COUNT) {
      int count = lab.bestCount(settings.limits());
      return new Candidate(
          settings.with(settings.tuning().withCount(count)),
          "count %d, best in hindsight".formatted(count),
          false);
    }
    double seconds =
        new BigDecimal(lab.bestPeriodSeconds(settings.limits())).round(PERIOD_DIGITS).doubleValue();
    return new Candidate(
        settings.with(settings.tuning().withPeriodSeconds(seconds)),
        "period %s s, best in hindsight".formatted(UpdateYaml.plain(seconds)),
        false);
  }

  /**
   * Returns the row of the answer for one rule or for the real run.
   *
   * @param candidate the rule; null for the real run
   */
  private static Row row(
      ReplayLab lab,
      ReplayLab.Optimum optimum,
      RuleOutcome outcome,
      @Nullable Candidate candidate) {
    return new Row(
        outcome.rule(),
        candidate == null ? "" : candidate.parameter(),
        candidate == null,
        candidate != null && candidate.configured(),
        lab.totalRatio(outcome, optimum),
        lab.controllableRatio(outcome, optimum),
        outcome.meanLatencySeconds(),
        outcome.p99LatencySeconds(),
        outcome.updates(),
        outcome.machineSeconds(),
        outcome.cost(),
        candidate == null ? "" : UpdateYaml.of(candidate.settings()));
  }
}
