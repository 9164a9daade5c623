package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.MappedRowCopies;
import io.idlalayer.middleware.embedding.RowTables;
import io.idlalayer.middleware.embedding.RowsFolder;
import io.idlalayer.middleware.embedding.RowsFolderException;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.UncheckedIOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Everything of a learner that has state, see {@link LearnerCheckpoint}.
 *
 * @param rows of the model's tables; null if it has none
 * @param rowCopies rows of them in a mapped file; null if there are none
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
    @Nullable MappedRowCopies rowCopies,
    StoreMeter rowTraffic)
    implements AutoCloseable {

  /**
   * Those of a new learner.
   *
   * @param selection makes the policy that chooses what trains again
   */
  static LearnerComponents of(
      LearnerContext context,
      SampleStore samples,
      Function<SampleIndex, SelectionPolicy> selection) {
    MappedRowCopies rowCopies = copies(context);
    boolean done = false;
    try {
      LearnerComponents made = of(context, samples, selection, rowCopies);
      done = true;
      return made;
    } finally {
      if (!done && rowCopies != null) {
        rowCopies.close();
      }
    }
  }

  private static LearnerComponents of(
      LearnerContext context,
      SampleStore samples,
      Function<SampleIndex, SelectionPolicy> selection,
      @Nullable MappedRowCopies rowCopies) {
    ApplicationSettings settings = context.settings();
    StoreMeter rowTraffic = new StoreMeter(context.clock().nanoTime());
    RowTables rows = tables(context, rowCopies, rowTraffic);
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
        rowCopies,
        rowTraffic);
  }

  /** Copies of rows in a mapped file, if the settings say so. */
  private static @Nullable MappedRowCopies copies(LearnerContext context) {
    RowsFolder folder = context.mappedRows();
    if (folder == null) {
      return null;
    }
    try {
      return MappedRowCopies.open(
          context.state().rows(), EmbeddingPlans.of(context.settings().model()), folder);
    } catch (RowsFolderException refused) {
      throw new UncheckedIOException(refused);
    }
  }

  private static @Nullable RowTables tables(
      LearnerContext context, @Nullable MappedRowCopies copies, StoreMeter traffic) {
    ApplicationSettings settings = context.settings();
    ModelSpec spec = settings.model();
    if (spec.embeddings().tables().isEmpty()) {
      return null;
    }
    return new RowTables(
        EmbeddingPlans.of(spec),
        EmbeddingPlans.rule(spec, settings.seed()),
        settings.memory().rows(),
        new MeteredRowStore(copies == null ? context.state().rows() : copies, traffic));
  }

  /** Deletes files that need not outlive the learner. */
  @Override
  public void close() {
    if (rowCopies != null) {
      rowCopies.close();
    }
  }
}
