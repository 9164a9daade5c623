package io.idlalayer.console.whatif;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.replay.RecordedRun;
import io.idlalayer.jobs.replay.ReplayReport;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * What each update rule would have cost on the arrivals of a learner's newest updates, beside the
 * optimum and what happened. One answer is computed at a time. May be shared between threads.
 */
public final class WhatIf {
  private static final double LARGEST_WEIGHT = 1e9;

  /**
   * Different arrival times that are simulated, so that an answer needs bounded time and memory.
   */
  private static final long MOST_TIMES = 500_000;

  /** Above a day nothing is learned online any more. */
  private static final double LARGEST_SECONDS = 1e5;

  private final Learners learners;
  private final Semaphore turn = new Semaphore(1);

  public WhatIf(Learners learners) {
    this.learners = learners;
  }

  /**
   * Costs to compute with; null for what the learner estimates.
   *
   * @param weight sample-seconds of waiting that a second of training is worth
   * @param fixedSeconds of a training
   * @param secondsPerSample of a training
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
   * The answer.
   *
   * @param problem why there is none; "" if there is
   * @param rows cheapest first
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

  /** The best schedule, in sample-seconds; a lower bound if it is not exact. */
  public record Optimum(double cost, boolean exact, double unavoidable) {}

  /** A rule, or what happened. */
  public record Row(
      String rule,
      String parameter,
      boolean asItHappened,
      double totalRatio,
      double controllableRatio,
      double meanLatencySeconds,
      double p99LatencySeconds,
      long updates,
      double machineSeconds,
      double cost) {}

  /** What is taken from the history, so that nobody waits for the simulation. */
  private record Recorded(
      ArrivalTrace trace, long firstMillis, ScheduleCosts costs, RuleOutcome outcome) {}

  /** Thrown while another answer is computed. */
  public static final class BusyException extends Exception {
    private static final long serialVersionUID = 1L;

    BusyException() {
      super("another comparison is being computed; try again in some seconds");
    }
  }

  /**
   * Simulates all rules.
   *
   * @return empty if the learner is not known
   * @throws BusyException if another answer is computed now
   */
  public Optional<Answer> answer(String learner, Costs asked) throws BusyException {
    if (!turn.tryAcquire()) {
      throw new BusyException();
    }
    try {
      return learners
          .replayed(learner, run -> Optional.ofNullable(recorded(run, asked)))
          .map(
              known ->
                  known
                      .map(WhatIf::simulate)
                      .orElseGet(
                          () ->
                              Answer.none(
                                  "no accepted update has been read yet, so there are no"
                                      + " arrivals to compare with")));
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

  private static Answer simulate(Recorded known) {
    ScheduleCosts costs = known.costs();
    ReplayLab lab = new ReplayLab(known.trace(), costs, Machine.ONE);
    List<ReplayReport.Row> virtual = new ArrayList<>();
    for (RuleName rule : RuleName.values()) {
      virtual.add(ReplayReport.Row.of(lab, rule, Double.NaN, costs.weight()));
    }
    ReplayLab.Optimum optimum =
        lab.optimum(virtual.stream().map(ReplayReport.Row::outcome).toList());
    List<Row> rows = new ArrayList<>();
    virtual.forEach(each -> rows.add(row(lab, optimum, each.outcome(), each.parameter(), false)));
    rows.add(row(lab, optimum, known.outcome(), "", true));
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

  private static Row row(
      ReplayLab lab,
      ReplayLab.Optimum optimum,
      RuleOutcome outcome,
      String parameter,
      boolean happened) {
    return new Row(
        outcome.rule(),
        parameter,
        happened,
        lab.totalRatio(outcome, optimum),
        lab.controllableRatio(outcome, optimum),
        outcome.meanLatencySeconds(),
        outcome.p99LatencySeconds(),
        outcome.updates(),
        outcome.machineSeconds(),
        outcome.cost());
  }
}
