package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Everything of a learner that has state, see {@link LearnerCheckpoint}.
 *
 * @param rows of the model's tables; null if it has none
 * @param rowTraffic what was read from their store and written to it
 */
record LearnerComponents(
    EventCounters counters,
    InputRequests requests,
    DataController data,
    UpdateController update,
    PrequentialEvaluator evaluator,
    DriftUrgency drift,
    IncorporationLatency incorporation,
    TrainingAttempts attempts,
    UpdateCycle cycle,
    Publication publication,
    ReleaseGate gate,
    TrustedWatch trusted,
    ServiceWatch service,
    @Nullable RowTables rows,
    StoreMeter rowTraffic) {

  /**
   * Those of a new learner.
   *
   * @param selection makes the policy that chooses what trains again
   */
  static LearnerComponents of(
      LearnerContext context,
      SampleStore samples,
      Function<SampleIndex, SelectionPolicy> selection) {
    ApplicationSettings settings = context.settings();
    StoreMeter rowTraffic = new StoreMeter(context.clock().nanoTime());
    RowTables rows = tables(context, rowTraffic);
    TrustedWatch trusted = new TrustedWatch(context.key(), context.trusted(), context.looks());
    ReleaseGate gate = new ReleaseGate(settings.publishing().gate(), trusted.samples().size());
    if (!trusted.problem().isEmpty()) {
      gate.comparesNothing();
    }
    return new LearnerComponents(
        new EventCounters(),
        new InputRequests(),
        new DataController(settings.data(), samples, selection),
        new UpdateController(settings.update(), TrainingCostModel.startingFrom(context.measured())),
        new PrequentialEvaluator(settings.model().schema().label()),
        new DriftUrgency(settings.update().drift()),
        new IncorporationLatency(),
        new TrainingAttempts(context.attempts()),
        new UpdateCycle(),
        new Publication(context, rows),
        gate,
        trusted,
        new ServiceWatch(context.key(), context.models(), context.looks(), gate.compares()),
        rows,
        rowTraffic);
  }

  private static @Nullable RowTables tables(LearnerContext context, StoreMeter traffic) {
    ApplicationSettings settings = context.settings();
    ModelSpec spec = settings.model();
    if (spec.embeddings().tables().isEmpty()) {
      return null;
    }
    return new RowTables(
        EmbeddingPlans.of(spec),
        EmbeddingPlans.rule(spec, settings.seed()),
        settings.memory().rows(),
        new MeteredRowStore(context.state().rows(), traffic));
  }
}
