package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.datacontroller.StageCounts;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.modelcontroller.evaluation.PrequentialSummary;
import io.idlalayer.modelcontroller.training.placed.TensorTraffic;
import io.idlalayer.modelcontroller.update.UpdateDecision;
import io.idlalayer.modelcontroller.update.UpdateDecision.Explanation;
import org.jspecify.annotations.Nullable;

/** Puts a learner's numbers into the form of the decision topic. */
final class StatusView {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private StatusView() {}

  /** A learner's clocks, and what the hot cache did for it. */
  record Times(Incorporation incorporation, IngestionTimes ingestion, CacheStats.Usage cache) {}

  /** The decision as it stands at a moment. */
  record Standing(Explanation explanation, long nowMillis, boolean training) {}

  static Status of(
      Ledger ledger,
      DataController data,
      PrequentialSummary quality,
      Times times,
      Standing standing,
      Status.Input input) {
    StageCounts stages = data.stages();
    return new Status(
        ledger.samples(data.stored(), data.evicted()),
        new Status.Stages(stages.newborn(), stages.mature(), stages.preserve(), stages.discard()),
        new Status.Prequential(
            quality.scored(),
            quality.unscored(),
            quality.accuracy(),
            quality.logLoss(),
            quality.perplexity(),
            quality.noChangeAccuracy(),
            quality.majorityAccuracy(),
            quality.meanAbsoluteError(),
            quality.rootMeanSquaredError(),
            quality.noChangeMeanAbsoluteError(),
            quality.recentAccuracy()),
        times.incorporation().status(),
        times.ingestion().drain(),
        new Status.HotSamples(
            times.cache().donatedBytes(),
            times.cache().hits(),
            times.cache().misses(),
            times.cache().crossHits()),
        decision(standing),
        ledger.inputOffsets(),
        ledger.modelVersion,
        ledger.updates,
        ledger.trainedNewSamples,
        standing.training(),
        input);
  }

  private static Status.Decision decision(Standing standing) {
    Explanation why = standing.explanation();
    long nowNanos = standing.nowMillis() * NANOS_PER_MILLI;
    double firingIn =
        why.nextFiringNanos() == Explanation.NEVER
            ? -1
            : Math.max(0, why.nextFiringNanos() - nowNanos) / NANOS_PER_SECOND;
    return new Status.Decision(
        why.rule(),
        why.reason(),
        why.pending(),
        why.regretSampleSeconds(),
        why.thresholdSampleSeconds(),
        why.predictedSeconds(),
        why.predictedSecondsLow(),
        why.predictedSecondsHigh(),
        firingIn,
        why.facts().certifiedRatio(),
        why.facts().updateCost(),
        why.facts().secondsPerSample(),
        why.facts().fixedSeconds(),
        why.facts().weight(),
        why.facts().urgency(),
        why.facts().guardDenials(),
        why.facts().delayed());
  }

  /** An update that was fired and has no result yet. */
  static UpdateView fired(PendingUpdate fired, @Nullable AcceptedModel parent) {
    return fired(fired, parent == null ? 0 : parent.update().version());
  }

  /** The same with the version it was trained from. */
  static UpdateView fired(PendingUpdate fired, long parent) {
    Explanation why = fired.explanation();
    UpdateDecision.Facts facts = why.facts();
    return new UpdateView(
        fired.selection().updateNumber(),
        0,
        parent,
        fired.firedAtMillis(),
        why.rule(),
        why.reason(),
        why.regretSampleSeconds(),
        why.thresholdSampleSeconds(),
        fired.selection().newIds().length,
        fired.selection().replayedIds().length,
        0,
        why.predictedSeconds(),
        0,
        0,
        0,
        new UpdateView.Basis(
            facts.certifiedRatio(),
            why.predictedSecondsLow(),
            why.predictedSecondsHigh(),
            facts.secondsPerSample(),
            facts.fixedSeconds(),
            facts.weight(),
            facts.urgency()),
        null);
  }

  /** Where tensors were; null if they were not placed. */
  static @Nullable TensorUse tensors(PlacementName policy, @Nullable TensorTraffic traffic) {
    if (traffic == null) {
      return null;
    }
    return new TensorUse(
        policy.key(),
        traffic.fastToSlowBytes(),
        traffic.slowToFastBytes(),
        traffic.slowReadBytes(),
        traffic.slowWrittenBytes(),
        traffic.fastUses(),
        traffic.slowUses(),
        traffic.stallNanos() / NANOS_PER_SECOND,
        traffic.forcedEvictions(),
        traffic.avoidedWriteBackBytes(),
        traffic.highWaterBytes(),
        traffic.fastBytes());
  }
}
