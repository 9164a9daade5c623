package io.idlalayer.jobs.events;

import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Guarantee;
import java.util.List;
import java.util.TreeMap;

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
        new CostBasis(new RuleCosts(0, 0.5, 10), 0.0, 1),
        new Guarantee(1.2, 0, 0));
  }

  /** Returns the status of a learner that has accepted a number of updates and published each. */
  public static Status status(Status.Samples samples, long updates) {
    return new Status(
        samples,
        new Status.Stages(0, 0, 0, 0),
        new Status.Progress(updates, 0, updates, false),
        nothingScored(),
        new Status.Incorporation(0, 0, 0),
        new Status.Ingestion(0, 0, 0, 0),
        Status.HotSamples.NONE,
        decision(),
        new TreeMap<>(),
        Status.Input.NONE,
        Status.Engine.UNKNOWN);
  }

  /** Returns the counts of a learner that has received a number of events, and processed none. */
  public static Status.Samples received(long events) {
    return new Status.Samples(events, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** An example of everything that is said of tensors. */
  public static TensorUse tensors() {
    return new TensorUse(
        "cached-arrays",
        new TensorUse.Copied(1, 2),
        new TensorUse.OnSlow(3, 4),
        new TensorUse.Arguments(5, 6),
        0.5,
        new TensorUse.Evictions(7, 8),
        new TensorUse.FastDevice(10, 9),
        new TensorUse.SlowDevice(14, 13, 11, 12),
        new TensorUse.Plan(
            "autovm",
            new TensorUse.StepSeconds(0.15, 0.16, 0.17, 0.18),
            0.19,
            20,
            29,
            "autotm: it finds no plan"),
        new TensorUse.Loans(
            21, 22, 23, 24, 25, List.of(new TensorUse.Lender("127.0.0.1:7475", 26, 27, 28))));
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
