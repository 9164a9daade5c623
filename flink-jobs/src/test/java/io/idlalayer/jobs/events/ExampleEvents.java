package io.idlalayer.jobs.events;

import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import io.idlalayer.modelcontroller.evaluation.PrequentialSummary;
import io.idlalayer.modelcontroller.update.RuleCosts;
import io.idlalayer.modelcontroller.update.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.UpdateDecision.Guarantee;

/** Parts of events for tests that need some. */
public final class ExampleEvents {
  private ExampleEvents() {}

  /** Grounds of the rule {@code area}, which predict 0.4 s, between 0.3 and 0.6. */
  public static Grounds grounds(String reason) {
    return new Grounds(
        "area",
        reason,
        new Charge(1, 1, 1),
        new PredictedSeconds(0.3, 0.4, 0.6),
        new CostBasis(new RuleCosts(0, 0.5, 10), 1),
        new Guarantee(1.2, 0, 0));
  }

  /** Nothing waits. */
  public static Status.Decision decision() {
    return new Status.Decision(0, 0, grounds(""));
  }

  public static PrequentialSummary nothingScored() {
    return new PrequentialSummary(0, 0, null, null);
  }

  /** A published update that trained 0.5 s. */
  public static UpdateRecord published(
      long number, UpdateRecord.Published as, long firedAtMillis, int newSamples) {
    return new UpdateRecord(
        number,
        new UpdateRecord.Firing(firedAtMillis, newSamples, 0, grounds("why")),
        new UpdateRecord.Training(as.version() - 1, 0.5, 1, 0.5, null),
        as);
  }
}
