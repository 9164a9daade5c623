package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Charge;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Renders the progress of a run as one line. Confined to one thread. */
public final class ProgressLine {
  private static final int BAR = 10;

  private final @Nullable QualityMetric metric;
  private long lastReceived = -1;
  private long lastNanos;

  /**
   * @param metric metric that the application goes by; null if it is unknown, or if several
   *     applications go by different ones
   */
  public ProgressLine(@Nullable QualityMetric metric) {
    this.metric = metric;
  }

  /** Renders the progress line at a given moment, in monotonic nanoseconds. */
  public String render(RunView view, long nowNanos) {
    List<Status> statuses = view.learners().stream().map(RunView.Learner::status).toList();
    if (statuses.isEmpty()) {
      return "waiting for the first event";
    }
    Status.Samples samples = Totals.samples(statuses);
    Status.Stages stages = Totals.stages(statuses);
    PrequentialSummary quality = Totals.prequential(statuses);
    long rate = rate(samples.received(), nowNanos);
    boolean training = statuses.stream().anyMatch(Status::training);
    long version = statuses.stream().mapToLong(Status::modelVersion).max().orElse(0);
    return String.format(
        Locale.ROOT,
        "%,d events %,d/s | N %d M %d P %d D %d | %s | %d updates, model v%d | %s",
        samples.received(),
        rate,
        stages.newborn(),
        stages.mature(),
        stages.preserve(),
        stages.discard(),
        training ? "training" : waiting(statuses.get(0).decision()),
        Totals.sum(statuses, Status::updates),
        version,
        QualityText.brief(quality, metric));
  }

  private long rate(long received, long nowNanos) {
    long rate = 0;
    if (lastReceived >= 0 && nowNanos > lastNanos) {
      rate = Math.round((received - lastReceived) * 1e9 / (nowNanos - lastNanos));
    }
    lastReceived = received;
    lastNanos = nowNanos;
    return Math.max(0, rate);
  }

  /**
   * Describes how near the next update is: the regret of waiting against the threshold, and the
   * time to the next firing.
   */
  private static String waiting(Status.Decision decision) {
    Grounds grounds = decision.grounds();
    Charge charge = grounds.charge();
    String certificate =
        grounds.guarantee().certifiedRatio() <= 0
            ? ""
            : String.format(Locale.ROOT, ", <= %.2fx best", grounds.guarantee().certifiedRatio());
    if (charge.thresholdSampleSeconds() <= 0) {
      return grounds.rule() + ", " + decision.pending() + " wait" + certificate;
    }
    double share = charge.sampleSeconds() / charge.thresholdSampleSeconds();
    int filled = (int) Math.max(0, Math.min(BAR, Math.round(share * BAR)));
    String firing =
        decision.nextFiringInSeconds() < 0
            ? ""
            : String.format(Locale.ROOT, ", fires in %.1fs", decision.nextFiringInSeconds());
    return String.format(
        Locale.ROOT,
        "%s [%s%s] %.2f of %.2f%s%s",
        grounds.rule(),
        "#".repeat(filled),
        ".".repeat(BAR - filled),
        charge.sampleSeconds(),
        charge.thresholdSampleSeconds(),
        firing,
        certificate);
  }
}
