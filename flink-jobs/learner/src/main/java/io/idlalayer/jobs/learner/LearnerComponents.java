package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.learner.comparison.VersionComparison;
import io.idlalayer.jobs.learner.forget.Forgetting;
import io.idlalayer.jobs.learner.mixing.ComparedRows;
import io.idlalayer.jobs.learner.mixing.ContributedModels;
import io.idlalayer.jobs.learner.mixing.GateShare;
import io.idlalayer.jobs.learner.mixing.MixedLearning;
import io.idlalayer.jobs.learner.mixing.MixedModels;
import io.idlalayer.jobs.learner.mixing.SharedTables;
import io.idlalayer.jobs.learner.publish.IncorporationLatency;
import io.idlalayer.jobs.learner.publish.LineageStart;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.release.References;
import io.idlalayer.jobs.learner.release.ReleaseGate;
import io.idlalayer.jobs.learner.release.Scoring;
import io.idlalayer.jobs.learner.release.ServiceWatch;
import io.idlalayer.jobs.learner.release.TrustedWatch;
import io.idlalayer.jobs.learner.release.VersionRows;
import io.idlalayer.jobs.learner.samples.StoreMeter;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.update.TrainingAttempts;
import io.idlalayer.jobs.learner.update.UpdateCycle;
import io.idlalayer.jobs.learner.update.UpdateParts;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.mixing.PartitionedTable;
import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The components of a learner: the components with state, see {@link LearnerCheckpoint}, and the
 * components that watch the trusted samples and the version in service.
 */
record LearnerComponents(
    InputRequests requests,
    EventSurvey survey,
    PrequentialEvaluator evaluator,
    References references,
    UpdateParts update,
    ReleaseGate gate,
    TrustedWatch trusted,
    ServiceWatch service,
    Tables tables,
    HistoryParts history,
    VersionComparison comparison) {
  /**
   * The embedding tables of the model, with the meter of their reads and writes.
   *
   * @param rows the rows; null if the model has no tables
   * @param traffic traffic between the tables and their store
   */
  record Tables(@Nullable RowTables rows, StoreMeter traffic) {}

  EventCounters counters() {
    return update.counters();
  }

  DataController data() {
    return update.data();
  }

  /** Returns the components that count the scores of new samples. */
  Scoring.Counted counted() {
    return new Scoring.Counted(evaluator, references, history.withoutContext(), comparison);
  }

  /** Begins a new survey, for the events of another input. */
  void beginSurvey() {
    survey.begin(requests.lostOffsets(), counters().quarantinedSamples());
  }

  /** Returns the survey of the events of the present input. */
  Surveyed surveyed() {
    return survey.surveyed(requests.lostOffsets(), counters().quarantinedSamples());
  }

  /**
   * Returns the learner's part in the mixing of all partitions' models; null if the learner's model
   * is not mixed.
   */
  @Nullable MixedLearning mixing() {
    return update.mixing();
  }

  /** Returns the earlier rows of the tables, which belong to versions that are compared. */
  VersionRows versionRows() {
    MixedLearning mixing = update.mixing();
    return mixing == null
        ? new VersionRows(tables.rows(), gate.compares(), Set::of)
        : new VersionRows(tables.rows(), mixing.compares(), mixing::comparedUpdates);
  }

  Publication publication() {
    return update.publication();
  }

  Forgetting forgetting() {
    return update.forgetting();
  }

  /**
   * Creates the components of a new learner.
   *
   * @param selection creates the policy that chooses the samples to replay
   */
  static LearnerComponents of(
      LearnerContext context,
      SampleStore samples,
      Function<SampleIndex, SelectionPolicy> selection) {
    LearnerIdentity learner = context.identity();
    ApplicationSettings settings = learner.settings();
    LearnerContext.Ports ports = context.ports();
    LearnerContext.Workers workers = context.workers();
    StoreMeter traffic = new StoreMeter(ports.clock().nanoTime());
    RowTables rows = rows(context, traffic);
    TrustedWatch trusted = new TrustedWatch(learner.key(), ports.trusted(), workers.looks());
    HistoryParts history = HistoryParts.of(settings);
    DataController data =
        new DataController(settings.data(), samples, selection, history.histories());
    // If models are mixed, a learner publishes contributions, which the release gate does not
    // compare.
    GateSettings compared = settings.publishing().gate();
    ReleaseGate gate =
        new ReleaseGate(
            ports.mixed() == null ? compared : GateSettings.off(compared.metric()),
            trusted.samples().size());
    MixedLearning mixing = mixing(context, data, rows);
    Publication publication =
        new Publication(
            learner,
            ports.clock(),
            mixing == null ? ports.models() : new ContributedModels(ports.models(), mixing),
            workers.trainerThread(),
            context.engine().status(),
            rows,
            ports.processor());
    UpdateParts update =
        new UpdateParts(
            new EventCounters(),
            data,
            new UpdateController(
                settings.update(), TrainingCostModel.startingFrom(context.engine().measured())),
            new DriftUrgency(settings.update().drift()),
            new TrainingAttempts(ports.attempts(), settings.data().hashKey()),
            new UpdateCycle(),
            publication,
            new IncorporationLatency(),
            ports.processor(),
            mixing,
            new LineageStart(learner),
            new Forgetting(settings.data()));
    return new LearnerComponents(
        new InputRequests(),
        new EventSurvey(settings.input().schema()),
        new PrequentialEvaluator(
            settings.model().schema().label(), settings.model().loss().level()),
        References.of(settings.references(), settings.model()),
        update,
        gate,
        trusted,
        new ServiceWatch(learner.key(), ports.models(), workers.looks(), gate.compares()),
        new Tables(rows, traffic),
        history,
        VersionComparison.of(settings, context.engine().newScorer()));
  }

  private static @Nullable MixedLearning mixing(
      LearnerContext context, DataController data, @Nullable RowTables rows) {
    LearnerContext.Ports ports = context.ports();
    MixedModels mixed = ports.mixed();
    SampleCodec codec = new SampleCodec();
    return mixed == null
        ? null
        : new MixedLearning(
            context.identity().key(),
            mixed,
            context.workers().looks(),
            ports.output()::mixing,
            new GateShare.Parts(
                context.identity().settings().publishing().gate(),
                context.engine().newScorer(),
                most -> data.waiting().loadNewest(most, codec::decode).samples(),
                new ComparedRows(rows)),
            rows == null ? null : sharedTables(context, rows));
  }

  private static @Nullable SharedTables sharedTables(LearnerContext context, RowTables rows) {
    ApplicationSettings settings = context.identity().settings();
    List<Integer> shared =
        PartitionedTable.of(settings.mixing(), settings.model(), settings.partitions())
            .map(table -> table.others(settings.model()))
            .orElse(List.of());
    RowRule rule = EmbeddingPlans.rule(settings.model(), settings.seed());
    return shared.isEmpty()
        ? null
        : new SharedTables(rows, rule, shared, context.ports().clock()::wallMillis);
  }

  private static @Nullable RowTables rows(LearnerContext context, StoreMeter traffic) {
    ApplicationSettings settings = context.identity().settings();
    ModelSpec spec = settings.model();
    if (spec.embeddings().tables().isEmpty()) {
      return null;
    }
    return new RowTables(
        EmbeddingPlans.of(spec),
        EmbeddingPlans.rule(spec, settings.seed()),
        settings.memory().rows(),
        new MeteredRowStore(context.ports().state().rows(), traffic));
  }
}
