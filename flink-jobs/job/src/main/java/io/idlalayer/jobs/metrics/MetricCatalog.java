package io.idlalayer.jobs.metrics;

import static io.idlalayer.jobs.metrics.MetricDefinition.counter;
import static io.idlalayer.jobs.metrics.MetricDefinition.gauge;
import static io.idlalayer.jobs.metrics.MetricDefinition.histogram;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.ComparedVersions.MetricValues;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.HistoryUse;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.cache.shared.SharedUse;
import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.quality.metrics.ClassMetrics;
import io.idlalayer.modelcontroller.quality.metrics.TargetMetrics;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The definitions of all metrics. A new metric needs one line here and one row in {@code
 * docs/metrics.md}. A test compares both.
 */
final class MetricCatalog {
  private static final double MILLIS = 1e3;
  private static final String QUALITY = "unit of the metric";

  private MetricCatalog() {}

  /** The metrics of each learner, with the labels application and partition. */
  static final List<MetricDefinition<LearnerSnapshot>> LEARNER =
      List.of(
          // The waiting samples and the standing decision.
          gauge("pendingSamples", "samples", (s, now) -> s.status().decision().pending()),
          gauge("regretSampleSeconds", "sample-seconds", of(g -> g.charge().sampleSeconds())),
          gauge(
              "thresholdSampleSeconds",
              "sample-seconds",
              of(g -> g.charge().thresholdSampleSeconds())),
          gauge(
              "virtualWaitingSampleSeconds",
              "sample-seconds",
              of(g -> g.charge().virtualWaitingSampleSeconds())),
          gauge("nextFiringSeconds", "s", MetricCatalog::nextFiringSeconds),
          gauge("predictedTrainingSeconds", "s", of(g -> g.predicted().mean())),
          gauge("predictedTrainingLowSeconds", "s", of(g -> g.predicted().low())),
          gauge("predictedTrainingHighSeconds", "s", of(g -> g.predicted().high())),
          gauge("costPerSampleSeconds", "s", of(g -> g.basis().costs().secondsPerSample())),
          gauge("costFixedSeconds", "s", of(g -> g.basis().costs().fixedSeconds())),
          gauge("costOverheadSeconds", "s", of(g -> g.basis().overhead())),
          gauge("costWeight", "ratio", of(g -> g.basis().costs().weight())),
          gauge("urgency", "ratio", of(g -> g.basis().urgency())),
          gauge("certifiedRatio", "ratio", of(g -> g.guarantee().certifiedRatio())),
          counter("guardDenials", "decisions", of(g -> g.guarantee().guardDenials())),
          counter("delayedUpdates", "updates", of(g -> g.guarantee().delayedUpdates())),
          // Updates.
          gauge("training", "0 or 1", (s, now) -> s.status().training() ? 1 : 0),
          counter("updatesFired", "updates", (s, now) -> s.happened().fired()),
          counter("updatesAborted", "updates", (s, now) -> s.happened().aborted()),
          counter("updatesDropped", "updates", (s, now) -> s.happened().dropped()),
          counter("updatesAccepted", "updates", (s, now) -> s.status().updates()),
          counter("versionsPublished", "versions", (s, now) -> s.happened().published()),
          counter("publicationsFailed", "attempts", (s, now) -> s.happened().failedPublications()),
          histogram("trainingMillis", "ms", MetricCatalog::trainingMillis),
          histogram("publicationMillis", "ms", MetricCatalog::publicationMillis),
          gauge("trainingLossBefore", "loss", training(t -> t.meanLossBefore())),
          gauge("trainingLossAfter", "loss", training(t -> t.meanLossAfter())),
          counter("trainedNewSamples", "samples", (s, now) -> s.status().trainedNewSamples()),
          counter("incorporatedSamples", "samples", (s, now) -> s.status().incorporation().count()),
          gauge(
              "incorporationMeanSeconds",
              "s",
              (s, now) -> s.status().incorporation().meanSeconds()),
          gauge(
              "incorporationP99Seconds", "s", (s, now) -> s.status().incorporation().p99Seconds()),
          // Processor time.
          counter("processorUpdates", "updates", processor(ProcessorUse::updates)),
          gauge("processorUpdateSeconds", "s", processor(ProcessorUse::recentUpdateSeconds)),
          gauge("processorDecidingSeconds", "s", caused(c -> c.decidingSeconds())),
          gauge("processorTrainingSeconds", "s", caused(c -> c.trainingSeconds())),
          gauge("processorAcceptingSeconds", "s", caused(c -> c.acceptingSeconds())),
          gauge("processorReportingSeconds", "s", caused(c -> c.reportingSeconds())),
          gauge("processorPublishingSeconds", "s", caused(c -> c.publishingSeconds())),
          gauge("processorCleaningUpSeconds", "s", caused(c -> c.cleaningUpSeconds())),
          gauge("processorSendingSeconds", "s", caused(c -> c.sendingSeconds())),
          gauge("processorFollowingSeconds", "s", caused(c -> c.followingSeconds())),
          gauge("processorStatusSeconds", "s", processor(ProcessorUse::statusSeconds)),
          gauge("processSeconds", "s", processor(p -> p.process().seconds())),
          gauge("processCompilationSeconds", "s", processor(p -> p.process().compilationSeconds())),
          // The model in service.
          gauge("modelVersion", "version", (s, now) -> s.served().version()),
          gauge("newestVersion", "version", (s, now) -> s.status().modelVersion()),
          gauge("modelAgeSeconds", "s", MetricCatalog::modelAgeSeconds),
          counter("scoredSamples", "samples", (s, now) -> s.status().prequential().scored()),
          counter("unscoredSamples", "samples", (s, now) -> s.status().prequential().unscored()),
          gauge("accuracy", "ratio", classes(c -> c.accuracy())),
          gauge("recentAccuracy", "ratio", classes(c -> c.recentAccuracy())),
          gauge("noChangeAccuracy", "ratio", classes(c -> c.noChangeAccuracy())),
          gauge("majorityAccuracy", "ratio", classes(c -> c.majorityAccuracy())),
          gauge("recentNoChangeAccuracy", "ratio", classes(c -> c.recentNoChangeAccuracy())),
          gauge("recentMajorityAccuracy", "ratio", classes(c -> c.recentMajorityAccuracy())),
          gauge("logLoss", "nats", classes(c -> c.logLoss())),
          gauge("balancedAccuracy", "ratio", classMetrics(m -> m.model().balancedAccuracy())),
          gauge("macroF1", "ratio", classMetrics(m -> m.model().f1())),
          gauge("positiveF1", "ratio", classMetrics(m -> m.model().positiveF1())),
          gauge("kappa", "ratio", classMetrics(m -> m.model().kappa())),
          gauge("kappaM", "ratio", classMetrics(m -> m.kappaM())),
          gauge("kappaTemporal", "ratio", classMetrics(m -> m.kappaTemporal())),
          gauge("baseRateLogLoss", "nats", classMetrics(m -> m.baseRateLogLoss())),
          gauge("normalizedEntropy", "ratio", classMetrics(m -> m.normalizedEntropy())),
          gauge("auc", "ratio", classMetrics(m -> m.auc())),
          gauge("aucError", "ratio", classMetrics(m -> m.aucError())),
          gauge("calibration", "ratio", classMetrics(m -> m.calibration())),
          gauge("top3Accuracy", "ratio", classMetrics(m -> m.top3())),
          gauge("top5Accuracy", "ratio", classMetrics(m -> m.top5())),
          gauge("recentLogLoss", "nats", classes(c -> c.recentLogLoss())),
          gauge(
              "recentBalancedAccuracy",
              "ratio",
              recentClassMetrics(m -> m.model().balancedAccuracy())),
          gauge("recentMacroF1", "ratio", recentClassMetrics(m -> m.model().f1())),
          gauge("recentPositiveF1", "ratio", recentClassMetrics(m -> m.model().positiveF1())),
          gauge("recentKappa", "ratio", recentClassMetrics(m -> m.model().kappa())),
          gauge("recentKappaM", "ratio", recentClassMetrics(m -> m.kappaM())),
          gauge("recentKappaTemporal", "ratio", recentClassMetrics(m -> m.kappaTemporal())),
          gauge("recentBaseRateLogLoss", "nats", recentClassMetrics(m -> m.baseRateLogLoss())),
          gauge("recentNormalizedEntropy", "ratio", recentClassMetrics(m -> m.normalizedEntropy())),
          gauge("recentAuc", "ratio", recentClassMetrics(m -> m.auc())),
          gauge("recentAucError", "ratio", recentClassMetrics(m -> m.aucError())),
          gauge("recentCalibration", "ratio", recentClassMetrics(m -> m.calibration())),
          gauge("recentTop3Accuracy", "ratio", recentClassMetrics(m -> m.top3())),
          gauge("recentTop5Accuracy", "ratio", recentClassMetrics(m -> m.top5())),
          gauge("meanAbsoluteError", "label", targets(r -> r.meanAbsoluteError())),
          gauge("rootMeanSquaredError", "label", targets(r -> r.rootMeanSquaredError())),
          gauge("noChangeMeanAbsoluteError", "label", targets(r -> r.noChangeMeanAbsoluteError())),
          gauge("rSquared", "ratio", targetMetrics(m -> m.rSquared())),
          gauge("mase", "ratio", targetMetrics(m -> m.mase())),
          gauge("targetDeviation", "label", targetMetrics(m -> m.deviation())),
          gauge("quantileLoss10", "label", targetMetrics(m -> m.quantileLoss10())),
          gauge("quantileLoss90", "label", targetMetrics(m -> m.quantileLoss90())),
          gauge("quantileLoss", "label", targetMetrics(m -> ifThere(m.quantile(), q -> q.loss()))),
          gauge(
              "noChangeRootMeanSquaredError",
              "label",
              targetMetrics(m -> m.noChangeRootMeanSquaredError())),
          gauge("recentMeanAbsoluteError", "label", targets(r -> r.recentMeanAbsoluteError())),
          gauge(
              "recentRootMeanSquaredError", "label", targets(r -> r.recentRootMeanSquaredError())),
          gauge(
              "recentNoChangeMeanAbsoluteError",
              "label",
              targets(r -> r.recentNoChangeMeanAbsoluteError())),
          gauge("recentRSquared", "ratio", recentTargetMetrics(m -> m.rSquared())),
          gauge("recentMase", "ratio", recentTargetMetrics(m -> m.mase())),
          gauge("recentTargetDeviation", "label", recentTargetMetrics(m -> m.deviation())),
          gauge("recentQuantileLoss10", "label", recentTargetMetrics(m -> m.quantileLoss10())),
          gauge("recentQuantileLoss90", "label", recentTargetMetrics(m -> m.quantileLoss90())),
          gauge(
              "recentQuantileLoss",
              "label",
              recentTargetMetrics(m -> ifThere(m.quantile(), q -> q.loss()))),
          gauge(
              "recentNoChangeRootMeanSquaredError",
              "label",
              recentTargetMetrics(m -> m.noChangeRootMeanSquaredError())),
          // The history of keys.
          gauge("historyKeys", "keys", history(HistoryUse::keys)),
          counter("evictedKeys", "keys", history(HistoryUse::evictedKeys)),
          gauge(
              "accuracyWithoutContext",
              "ratio",
              history(h -> ifThere(h.classification(), c -> c.accuracy()))),
          gauge(
              "recentAccuracyWithoutContext",
              "ratio",
              history(h -> ifThere(h.classification(), c -> c.recentAccuracy()))),
          gauge(
              "logLossWithoutContext",
              "nats",
              history(h -> ifThere(h.classification(), c -> c.logLoss()))),
          gauge(
              "meanAbsoluteErrorWithoutContext",
              "label",
              history(h -> ifThere(h.regression(), r -> r.meanAbsoluteError()))),
          gauge(
              "recentMeanAbsoluteErrorWithoutContext",
              "label",
              history(h -> ifThere(h.regression(), r -> r.recentMeanAbsoluteError()))),
          // The network beside which references are served.
          gauge("networkWeight", "ratio", network(ExpertQuality::weight)),
          gauge("networkSamples", "samples", network(ExpertQuality::samples)),
          gauge("networkAccuracy", "ratio", network(ExpertQuality::accuracy)),
          gauge("networkMeanAbsoluteError", "label", network(ExpertQuality::meanAbsoluteError)),
          gauge("networkLoss", "nats or label^2", network(ExpertQuality::meanLoss)),
          // The model beside older versions.
          gauge("comparedSamples", "samples", compared(ComparedVersions::samples)),
          gauge(
              "comparedModelQuality",
              QUALITY,
              quality(ComparedVersions::model, MetricValues::value)),
          gauge(
              "recentComparedModelQuality",
              QUALITY,
              quality(ComparedVersions::model, MetricValues::recent)),
          gauge("trainedOnceVersion", "version", compared(c -> c.once().version())),
          gauge(
              "trainedOnceQuality", QUALITY, quality(c -> c.once().quality(), MetricValues::value)),
          gauge(
              "recentTrainedOnceQuality",
              QUALITY,
              quality(c -> c.once().quality(), MetricValues::recent)),
          gauge("renewedVersion", "version", compared(c -> c.renewed().version())),
          gauge(
              "renewedQuality", QUALITY, quality(c -> c.renewed().quality(), MetricValues::value)),
          gauge(
              "recentRenewedQuality",
              QUALITY,
              quality(c -> c.renewed().quality(), MetricValues::recent)),
          // The release gate.
          gauge("gateHeld", "0 or 1", gate(g -> g.held() ? 1 : 0)),
          gauge("gateComparedVersion", "version", gate(Status.Gate::comparedWith)),
          gauge("gateComparedSamples", "samples", gate(Status.Gate::samples)),
          gauge("gateDifference", "ratio", gate(Status.Gate::difference)),
          counter("heldModels", "models", gate(Status.Gate::heldModels)),
          counter("rollbacks", "rollbacks", gate(Status.Gate::rollbacks)),
          // The model that all partitions learn together.
          gauge("mixedRound", "round", mixing(MixingStatus::round)),
          gauge("mixedPartitions", "partitions", mixing(m -> m.parts().size())),
          gauge("mixedProgress", "length", mixing(MixingStatus::progress)),
          gauge("mixedProgressRatio", "ratio", mixing(MixingStatus::progressRatio)),
          gauge(
              "mixedContributionOpen",
              "0 or 1",
              mixing(m -> m.state() == MixingStatus.State.OPEN ? 1 : 0)),
          counter("mixedVersions", "versions", mixing(MixingStatus::adopted)),
          counter("lateContributions", "contributions", mixing(MixingStatus::late)),
          // Events and samples.
          counter("receivedEvents", "events", samples(Status.Samples::received)),
          counter("malformedEvents", "events", samples(Status.Samples::malformed)),
          gauge("unlabeledEvents", "events", samples(Status.Samples::unlabeled)),
          counter("duplicateEvents", "events", samples(Status.Samples::duplicates)),
          counter("revivedSamples", "samples", samples(Status.Samples::revived)),
          counter("joinedLabels", "labels", samples(Status.Samples::joined)),
          counter("mergedEvents", "events", samples(Status.Samples::merged)),
          counter("changedEvents", "events", samples(Status.Samples::changed)),
          gauge("waitingLabels", "labels", samples(Status.Samples::labelsWaiting)),
          counter("givenUpLabels", "labels", samples(Status.Samples::labelsGivenUp)),
          counter("defaultedLabels", "labels", samples(Status.Samples::labelsDefaulted)),
          counter("correctedDefaults", "labels", samples(Status.Samples::defaultsCorrected)),
          counter("evictedSamples", "samples", samples(Status.Samples::evicted)),
          counter("quarantinedSamples", "samples", samples(Status.Samples::quarantined)),
          counter("passedOverSamples", "samples", samples(Status.Samples::passedOver)),
          gauge("storedSamples", "samples", samples(Status.Samples::stored)),
          gauge("storedSampleBytes", "bytes", samples(Status.Samples::storedBytes)),
          gauge("newbornSamples", "samples", (s, now) -> s.status().stages().newborn()),
          gauge("matureSamples", "samples", (s, now) -> s.status().stages().mature()),
          gauge("preserveSamples", "samples", (s, now) -> s.status().stages().preserve()),
          gauge("discardSamples", "samples", (s, now) -> s.status().stages().discard()),
          gauge("ingestionEvents", "events", (s, now) -> s.status().ingestion().events()),
          gauge("ingestionP50Millis", "ms", (s, now) -> s.status().ingestion().p50Millis()),
          gauge("ingestionP99Millis", "ms", (s, now) -> s.status().ingestion().p99Millis()),
          gauge("ingestionMaxMillis", "ms", (s, now) -> s.status().ingestion().maxMillis()),
          // The input.
          counter("lostOffsets", "offsets", (s, now) -> s.status().input().lostOffsets()),
          gauge("lostRanges", "ranges", (s, now) -> s.status().input().lost().size()),
          counter("rereadRecords", "records", (s, now) -> s.status().input().reread()),
          counter("refusedControls", "records", (s, now) -> s.status().input().refusedControls()),
          // Samples in the hot cache.
          gauge("hotDonatedBytes", "bytes", (s, now) -> s.status().hotSamples().donatedBytes()),
          gauge("hotPayloadBytes", "bytes", (s, now) -> s.status().hotSamples().payloadBytes()),
          counter("hotHits", "samples", (s, now) -> s.status().hotSamples().hits()),
          counter("hotMisses", "samples", (s, now) -> s.status().hotSamples().misses()),
          counter("sampleReadBytes", "bytes", sampleStore(StoreTraffic::readBytes)),
          counter("sampleWrittenBytes", "bytes", sampleStore(StoreTraffic::writtenBytes)),
          gauge("sampleWaitSeconds", "s", sampleStore(StoreTraffic::waitSeconds)),
          // Rows of embedding tables.
          gauge("tableRows", "rows", tables(RowUsage::rows)),
          gauge("tableFastRows", "rows", tables(RowUsage::hotRows)),
          gauge("tableSlowRows", "rows", tables(t -> t.rows() - t.hotRows())),
          gauge("tableFastBytes", "bytes", tables(RowUsage::fastBytes)),
          gauge("tableSlowBytes", "bytes", tables(RowUsage::slowBytes)),
          gauge("tableFilterBytes", "bytes", tables(RowUsage::filterBytes)),
          gauge("tableCountedIds", "ids", tables(RowUsage::counted)),
          counter("tableHits", "rows", tables(RowUsage::hits)),
          counter("tableBufferedReads", "rows", tables(RowUsage::buffered)),
          counter("tableMisses", "rows", tables(RowUsage::misses)),
          counter("tableUnknownIds", "ids", tables(RowUsage::unknown)),
          counter("tableAdmittedIds", "ids", tables(RowUsage::admitted)),
          counter("tableRefusedIds", "ids", tables(RowUsage::refused)),
          counter("tableOutOfRangeIds", "ids", tables(RowUsage::outOfRange)),
          counter("tableFlushedRows", "rows", tables(RowUsage::flushed)),
          counter("tableUnusedRowsDeleted", "rows", tables(t -> t.expired().unused())),
          counter("tableRareRowsDeleted", "rows", tables(t -> t.expired().rare())),
          counter("tableSmallRowsDeleted", "rows", tables(t -> t.expired().small())),
          counter("tableExcessRowsDeleted", "rows", tables(t -> t.expired().excess())),
          counter("tableReadBytes", "bytes", tables(t -> t.store().readBytes())),
          counter("tableWrittenBytes", "bytes", tables(t -> t.store().writtenBytes())),
          gauge("tableWaitSeconds", "s", tables(t -> t.store().waitSeconds())),
          // Tensors during the latest training.
          gauge("tensorCopiedToSlowBytes", "bytes", tensors(t -> t.copied().fastToSlowBytes())),
          gauge("tensorCopiedToFastBytes", "bytes", tensors(t -> t.copied().slowToFastBytes())),
          gauge("tensorReadOnSlowBytes", "bytes", tensors(t -> t.onSlow().readBytes())),
          gauge("tensorWrittenOnSlowBytes", "bytes", tensors(t -> t.onSlow().writtenBytes())),
          gauge("tensorArgumentHits", "arguments", tensors(t -> t.arguments().hits())),
          gauge("tensorArgumentMisses", "arguments", tensors(t -> t.arguments().misses())),
          gauge("tensorStallSeconds", "s", tensors(TensorUse::stallSeconds)),
          gauge("tensorForcedEvictions", "tensors", tensors(t -> t.evictions().forced())),
          gauge(
              "tensorAvoidedWriteBackBytes",
              "bytes",
              tensors(t -> t.evictions().avoidedWriteBackBytes())),
          gauge("tensorFastBytes", "bytes", tensors(t -> t.fast().bytes())),
          gauge("tensorFastHighWaterBytes", "bytes", tensors(t -> t.fast().highWaterBytes())),
          gauge("tensorSlowBytes", "bytes", tensors(t -> t.slow().bytes())),
          gauge("tensorSlowHighWaterBytes", "bytes", tensors(t -> t.slow().highWaterBytes())),
          gauge(
              "tensorSlowReadBytesPerSecond",
              "bytes/s",
              tensors(t -> t.slow().readBytesPerSecond())),
          gauge(
              "tensorSlowWriteBytesPerSecond",
              "bytes/s",
              tensors(t -> t.slow().writeBytesPerSecond())),
          gauge("tensorBorrowedBytes", "bytes", loans(TensorUse.Loans::bytes)),
          gauge("tensorLoanCopiedBytes", "bytes", loans(TensorUse.Loans::copiedBytes)),
          gauge("tensorLoanLosses", "loans", loans(TensorUse.Loans::losses)),
          gauge("tensorLoanNanos", "ns", loans(TensorUse.Loans::nanos)),
          gauge("tensorLocalNanos", "ns", loans(TensorUse.Loans::localNanos)),
          gauge("tensorStepPredictedSeconds", "s", plan(p -> p.step().predicted())),
          gauge("tensorStepSeconds", "s", plan(p -> p.step().measured())),
          gauge("tensorStepUnplannedSeconds", "s", plan(p -> p.step().unplanned())),
          gauge("tensorStepBoundSeconds", "s", plan(p -> p.step().bound())),
          gauge("tensorPlanningSeconds", "s", plan(TensorUse.Plan::planningSeconds)),
          gauge("tensorDifferingSteps", "steps", plan(TensorUse.Plan::differingSteps)),
          gauge("tensorRerunKernels", "kernels", plan(TensorUse.Plan::rerunKernels)),
          gauge("engineThreads", "threads", (s, now) -> s.status().engine().threads()));

  /** The metrics of each subtask, without additional labels. */
  static final List<MetricDefinition<SubtaskMetrics.Source>> SUBTASK =
      List.of(
          gauge("trainerQueueTasks", "tasks", (s, now) -> s.trainer().load().tasks()),
          gauge("trainerRunningSeconds", "s", (s, now) -> s.trainer().load().runningSeconds()),
          gauge("trainerLimitSeconds", "s", (s, now) -> s.trainer().load().limitSeconds()),
          gauge("trainerHungThreads", "threads", (s, now) -> s.trainer().load().hungThreads()),
          counter("reportsDropped", "reports", (s, now) -> s.reports().dropped()));

  /** The metrics of a hot cache that the process shares with other processes, without labels. */
  static final List<MetricDefinition<SharedUse>> SHARED_CACHE =
      List.of(
          gauge("sharedNeighbours", "files", (s, now) -> s.neighbours()),
          counter("sharedNeighbourHits", "samples", (s, now) -> s.neighbourHits()),
          gauge("sharedFoundSamples", "samples", (s, now) -> s.foundBlocks()),
          gauge("sharedLentBytes", "bytes", (s, now) -> s.lentBytes()),
          counter("sharedSkippedFiles", "files", (s, now) -> s.skippedFiles()),
          counter("sharedDamagedRecords", "samples", (s, now) -> s.damagedRecords()));

  private static MetricDefinition.Reading<LearnerSnapshot> of(Function<Grounds, Number> part) {
    return (s, now) -> part.apply(s.status().decision().grounds());
  }

  private static MetricDefinition.Reading<LearnerSnapshot> samples(
      Function<Status.Samples, Number> part) {
    return (s, now) -> part.apply(s.status().samples());
  }

  private static MetricDefinition.Reading<LearnerSnapshot> sampleStore(
      Function<StoreTraffic, Number> part) {
    return (s, now) -> part.apply(s.status().hotSamples().store());
  }

  private static MetricDefinition.Reading<LearnerSnapshot> training(
      Function<UpdateRecord.Training, Number> part) {
    return (s, now) -> ifThere(s.training(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> plan(
      Function<TensorUse.Plan, Number> part) {
    return tensors(t -> ifThere(t.plan(), part));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> loans(
      Function<TensorUse.Loans, Number> part) {
    return tensors(t -> ifThere(t.loans(), part));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> tensors(
      Function<TensorUse, ? extends @Nullable Number> part) {
    return (s, now) -> {
      var training = s.training();
      return training == null ? null : ifThere(training.tensors(), part);
    };
  }

  private static MetricDefinition.Reading<LearnerSnapshot> classes(
      Function<PrequentialSummary.Classification, @Nullable Number> part) {
    return (s, now) -> ifThere(s.status().prequential().classification(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> targets(
      Function<PrequentialSummary.Regression, @Nullable Number> part) {
    return (s, now) -> ifThere(s.status().prequential().regression(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> classMetrics(
      Function<ClassMetrics, @Nullable Number> part) {
    return classes(c -> ifThere(c.metrics(), part));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> recentClassMetrics(
      Function<ClassMetrics, @Nullable Number> part) {
    return classes(c -> ifThere(c.recent(), part));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> targetMetrics(
      Function<TargetMetrics, @Nullable Number> part) {
    return targets(r -> ifThere(r.metrics(), part));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> recentTargetMetrics(
      Function<TargetMetrics, @Nullable Number> part) {
    return targets(r -> ifThere(r.recent(), part));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> gate(
      Function<Status.Gate, Number> part) {
    return (s, now) -> ifThere(s.status().gate(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> mixing(
      Function<MixingStatus, @Nullable Number> part) {
    return (s, now) -> ifThere(s.status().mixing(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> history(
      Function<HistoryUse, @Nullable Number> part) {
    return (s, now) -> ifThere(s.status().history(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> network(
      Function<ExpertQuality, @Nullable Number> part) {
    return (s, now) -> ifThere(s.status().network(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> compared(
      Function<ComparedVersions, @Nullable Number> part) {
    return (s, now) -> ifThere(s.status().compared(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> quality(
      Function<ComparedVersions, MetricValues> of, Function<MetricValues, @Nullable Number> part) {
    return compared(c -> part.apply(of.apply(c)));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> processor(
      Function<ProcessorUse, Number> part) {
    return (s, now) -> ifThere(s.status().processor(), part);
  }

  private static MetricDefinition.Reading<LearnerSnapshot> caused(
      Function<ProcessorUse.Caused, Number> part) {
    return processor(use -> part.apply(use.caused()));
  }

  private static MetricDefinition.Reading<LearnerSnapshot> tables(Function<RowUsage, Number> part) {
    return (s, now) -> ifThere(s.status().tables(), part);
  }

  private static <P> @Nullable Number ifThere(
      @Nullable P whole, Function<P, ? extends @Nullable Number> part) {
    return whole == null ? null : part.apply(whole);
  }

  /**
   * Returns the seconds until the next firing. Between two statuses, the time that has passed is
   * subtracted. Returns not a number if no firing is expected.
   */
  private static Number nextFiringSeconds(LearnerSnapshot s, long nowMillis) {
    double then = s.status().decision().nextFiringInSeconds();
    return then < 0 ? Double.NaN : Math.max(0, then - (nowMillis - s.atMillis()) / MILLIS);
  }

  private static @Nullable Number modelAgeSeconds(LearnerSnapshot s, long nowMillis) {
    if (s.served().version() == 0) {
      return null;
    }
    long since = s.served().publishedAtMillis();
    return since < 0 ? Double.NaN : Math.max(0, (nowMillis - since) / MILLIS);
  }

  private static @Nullable Number trainingMillis(LearnerSnapshot s, long nowMillis) {
    var training = s.training();
    return s.type() == DecisionEvent.Type.STAGED && training != null
        ? Math.round(training.seconds() * MILLIS)
        : null;
  }

  private static @Nullable Number publicationMillis(LearnerSnapshot s, long nowMillis) {
    Long staged = s.stagedAtMillis();
    var update = s.update();
    var published = update == null ? null : update.published();
    return s.type() == DecisionEvent.Type.PUBLISHED && staged != null && published != null
        ? Math.max(0, published.atMillis() - staged)
        : null;
  }
}
