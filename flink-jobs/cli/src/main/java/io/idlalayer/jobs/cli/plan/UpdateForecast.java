package io.idlalayer.jobs.cli.plan;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import java.util.SplittableRandom;

/**
 * A forecast of the cost of updates, and of the time that events wait for them, by the
 * application's update rule and the product's cost model: an update of s new samples takes lambda *
 * s + epsilon seconds. Events arrive at random (a Poisson process) in virtual time.
 *
 * @param updateSeconds mean duration of an update; NaN if training does not keep up
 * @param samplesPerUpdate mean number of new samples of an update
 * @param meanSeconds mean time from the arrival of an event to the end of its update
 * @param p99Seconds time that 99 % of events do not exceed
 * @param mostEventsPerSecond rate above which training does not keep up
 */
record UpdateForecast(
    double updateSeconds,
    double samplesPerUpdate,
    double meanSeconds,
    double p99Seconds,
    double mostEventsPerSecond) {
  private static final int SEED = 1;
  private static final double SHORTEST_SPAN_SECONDS = 60;
  private static final int UPDATES = 50;
  private static final double FEWEST_EVENTS = 1_000;
  private static final double MOST_EVENTS = 50_000;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Returns whether training keeps up with the events. */
  boolean keepsUp() {
    return !Double.isNaN(updateSeconds);
  }

  /**
   * Forecasts the updates of one learner.
   *
   * @param stepSeconds seconds of a training step, above 0
   * @param overheadSeconds seconds of an update beside its steps, at least 0
   * @param eventsPerSecond rate at which events reach the learner, above 0
   */
  static UpdateForecast of(
      ApplicationSettings settings,
      double stepSeconds,
      double overheadSeconds,
      double eventsPerSecond) {
    double secondsPerRow =
        settings.model().fit().epochs() * stepSeconds / settings.model().fit().miniBatch();
    double fixed = overheadSeconds + replayed(settings.data().replay()) * secondsPerRow;
    ScheduleCosts costs = new ScheduleCosts(secondsPerRow, fixed, settings.update().weight());
    int largest = settings.update().limits().maxBatch();
    double most = largest / costs.seconds(largest);
    if (eventsPerSecond >= most) {
      return new UpdateForecast(Double.NaN, Double.NaN, Double.NaN, Double.NaN, most);
    }
    ArrivalTrace trace = arrivals(eventsPerSecond, fixed);
    RuleOutcome outcome = new ReplayLab(trace, costs, Machine.ONE).runWithLimits(settings.update());
    double updates = Math.max(1, outcome.updates());
    return new UpdateForecast(
        outcome.machineSeconds() / updates,
        trace.arrivals() / updates,
        outcome.meanLatencySeconds(),
        outcome.p99LatencySeconds(),
        most);
  }

  /** Returns how many samples an update replays while the loss does not rise. */
  private static double replayed(DataSettings.Replay replay) {
    boolean shared = replay.policy() == DataSettings.Policy.FUZZY;
    return shared ? replay.budget() * replay.steadyShare() : replay.budget();
  }

  private static ArrivalTrace arrivals(double eventsPerSecond, double fixedSeconds) {
    double span = Math.max(SHORTEST_SPAN_SECONDS, UPDATES * fixedSeconds);
    long events =
        Math.round(Math.max(FEWEST_EVENTS, Math.min(MOST_EVENTS, span * eventsPerSecond)));
    SplittableRandom random = new SplittableRandom(SEED);
    ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
    double now = 0;
    for (long i = 0; i < events; i++) {
      now -= Math.log1p(-random.nextDouble()) / eventsPerSecond;
      trace.add(Math.round(now * NANOS_PER_SECOND), 1);
    }
    return trace.build();
  }
}
