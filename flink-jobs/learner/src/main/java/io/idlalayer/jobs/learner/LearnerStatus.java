package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.datacontroller.api.StoreUsage;
import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.HistoryUse;
import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.learner.mixing.MixedLearning;
import io.idlalayer.jobs.learner.publish.Finding;
import io.idlalayer.jobs.learner.release.ReleaseGate;
import io.idlalayer.jobs.learner.samples.SamplePrefetcher;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Explanation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a learner's status in the form of the decision topic. Reading it changes nothing. */
final class LearnerStatus {
  private static final double NOT_IN_SIGHT = -1;

  /**
   * Longest time for which events of updates repeat the statistics of an earlier status. Computing
   * the statistics takes longer than the rest of an event.
   */
  private static final long STATISTICS_MILLIS = 1_000;

  private final LearnerComponents components;
  private final IngestionTimes ingestion;
  private final SamplePrefetcher samples;
  private final Status.Engine engine;
  private final ProcessorTime processor;
  private @Nullable Statistics statistics;
  private long addedUpMillis;

  /**
   * The statistics over many events.
   *
   * @param quality quality of the model
   * @param compared quality of the model and of older versions
   * @param survey survey of the events
   * @param history use of the histories of keys
   * @param network quality of the network without references
   * @param lastLabels how well the last label of a key would predict
   */
  private record Statistics(
      PrequentialSummary quality,
      @Nullable ComparedVersions compared,
      Surveyed survey,
      @Nullable HistoryUse history,
      @Nullable ExpertQuality network,
      @Nullable List<LastLabel> lastLabels) {}

  LearnerStatus(
      LearnerComponents components,
      IngestionTimes ingestion,
      SamplePrefetcher samples,
      Status.Engine engine,
      ProcessorTime processor) {
    this.components = components;
    this.ingestion = ingestion;
    this.samples = samples;
    this.engine = engine;
    this.processor = processor;
  }

  /** Returns the status for an event of a type. */
  Status at(LearnerTime now, DecisionEvent.Type type) {
    EventCounters counters = components.counters();
    StoreUsage stored = components.data().usage();
    Status.Pinned pinned = pinned();
    Statistics added = statistics(now, type);
    return new Status(
        counters.samples(
            stored.samples(), stored.bytes(), stored.evicted(), stored.waitingLabels()),
        stages(stored.stages()),
        new Status.Progress(
            counters.updates(),
            counters.trainedNewSamples(),
            counters.modelVersion(),
            components.update().cycle().busy()),
        added.quality(),
        components.update().incorporation().status(),
        ingestion.status(),
        samples.status(),
        decision(now),
        counters.inputOffsets(),
        components.requests().status(),
        engine,
        tables(),
        gate(pinned),
        pinned,
        added.survey(),
        processor.use(),
        added.history(),
        added.network(),
        added.lastLabels(),
        added.compared(),
        mixing());
  }

  /**
   * Returns the present statistics. For the frequent events of updates, the statistics can be up to
   * a second old.
   */
  private Statistics statistics(LearnerTime now, DecisionEvent.Type type) {
    Statistics known = statistics;
    boolean repeats = type.frequent() && now.millis() < addedUpMillis + STATISTICS_MILLIS;
    if (known == null || !repeats) {
      known =
          new Statistics(
              components.evaluator().summary(),
              components.comparison().results(),
              components.surveyed(),
              components.history().status(),
              components.references().network(),
              components.history().lastLabels());
      statistics = known;
      addedUpMillis = now.millis();
    }
    return known;
  }

  private Status.@Nullable Pinned pinned() {
    Pin pin = components.service().pin(components.counters().modelVersion());
    return pin == null
        ? null
        : new Status.Pinned(pin.version(), pin.until(), pin.reason(), pin.by());
  }

  private Status.@Nullable Gate gate(Status.@Nullable Pinned pinned) {
    MixedLearning mixing = components.mixing();
    if (mixing != null) {
      Finding found = mixing.comparison();
      return found == null
          ? null
          : gate(pinned, components.counters().modelVersion(), mixing.comparesNow(), found);
    }
    ReleaseGate gate = components.gate();
    return gate.compares()
        ? gate(pinned, gate.inServiceVersion(), gate.held(), gate.finding())
        : null;
  }

  private Status.Gate gate(
      Status.@Nullable Pinned pinned, long inService, boolean held, Finding found) {
    return new Status.Gate(
        pinned == null ? inService : pinned.version(),
        held,
        found.baselineVersion(),
        found.samples(),
        found.difference(),
        components.counters().heldModels(),
        components.counters().rollbacks());
  }

  private @Nullable MixingStatus mixing() {
    MixedLearning mixing = components.mixing();
    return mixing == null ? null : mixing.status();
  }

  private @Nullable RowUsage tables() {
    RowTables rows = components.tables().rows();
    return rows == null ? null : rows.usage(components.tables().traffic().status());
  }

  private static Status.Stages stages(StageCounts counts) {
    return new Status.Stages(
        counts.newborn(), counts.mature(), counts.preserve(), counts.discard());
  }

  private Status.Decision decision(LearnerTime now) {
    Explanation why = components.update().controller().explain(now.nanos());
    double firingIn =
        why.nextFiringNanos() == Explanation.NEVER
            ? NOT_IN_SIGHT
            : Math.max(0, now.secondsTo(why.nextFiringNanos()));
    return new Status.Decision(why.pending(), firingIn, Grounds.of(why));
  }

  /** Records that a status was sent; the next status covers the events after it. */
  void sent() {
    ingestion.startOver();
  }
}
