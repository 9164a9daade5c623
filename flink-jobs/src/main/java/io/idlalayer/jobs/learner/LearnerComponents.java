package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.learner.publish.IncorporationLatency;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.release.ReleaseGate;
import io.idlalayer.jobs.learner.release.ServiceWatch;
import io.idlalayer.jobs.learner.release.TrustedWatch;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.update.StoreMeter;
import io.idlalayer.jobs.learner.update.TrainingAttempts;
import io.idlalayer.jobs.learner.update.UpdateCycle;
import io.idlalayer.jobs.learner.update.UpdateParts;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.MappedRowCopies;
import io.idlalayer.middleware.embedding.RowTables;
import io.idlalayer.middleware.embedding.RowsFolder;
import io.idlalayer.middleware.embedding.RowsFolderException;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.evaluation.PrequentialEvaluator;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.UncheckedIOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Everything of a learner that has state, see {@link LearnerCheckpoint}, and its watches. */
record LearnerComponents(
    InputRequests requests,
    PrequentialEvaluator evaluator,
    UpdateParts update,
    ReleaseGate gate,
    TrustedWatch trusted,
    ServiceWatch service,
    Tables tables)
    implements AutoCloseable {

  /**
   * The model's tables.
   *
   * @param rows null if it has none
   * @param copies rows of them in a mapped file; null if there are none
   * @param traffic what was read from their store and written to it
   */
  record Tables(@Nullable RowTables rows, @Nullable MappedRowCopies copies, StoreMeter traffic) {}

  EventCounters counters() {
    return update.counters();
  }

  DataController data() {
    return update.data();
  }

  Publication publication() {
    return update.publication();
  }

  /**
   * Those of a new learner.
   *
   * @param selection makes the policy that chooses what trains again
   */
  static LearnerComponents of(
      LearnerContext context,
      SampleStore samples,
      Function<SampleIndex, SelectionPolicy> selection) {
    MappedRowCopies copies = copies(context);
    boolean done = false;
    try {
      LearnerComponents made = of(context, samples, selection, copies);
      done = true;
      return made;
    } finally {
      if (!done && copies != null) {
        copies.close();
      }
    }
  }

  private static LearnerComponents of(
      LearnerContext context,
      SampleStore samples,
      Function<SampleIndex, SelectionPolicy> selection,
      @Nullable MappedRowCopies copies) {
    LearnerIdentity learner = context.identity();
    ApplicationSettings settings = learner.settings();
    LearnerContext.Ports ports = context.ports();
    LearnerContext.Workers workers = context.workers();
    StoreMeter traffic = new StoreMeter(ports.clock().nanoTime());
    RowTables rows = rows(context, copies, traffic);
    TrustedWatch trusted = new TrustedWatch(learner.key(), ports.trusted(), workers.looks());
    ReleaseGate gate = new ReleaseGate(settings.publishing().gate(), trusted.samples().size());
    Publication publication =
        new Publication(
            learner,
            ports.clock(),
            ports.models(),
            workers.trainerThread(),
            context.engine().status(),
            rows);
    UpdateParts update =
        new UpdateParts(
            new EventCounters(),
            new DataController(settings.data(), samples, selection),
            new UpdateController(
                settings.update(), TrainingCostModel.startingFrom(context.engine().measured())),
            new DriftUrgency(settings.update().drift()),
            new TrainingAttempts(ports.attempts()),
            new UpdateCycle(),
            publication,
            new IncorporationLatency());
    return new LearnerComponents(
        new InputRequests(),
        new PrequentialEvaluator(settings.model().schema().label()),
        update,
        gate,
        trusted,
        new ServiceWatch(learner.key(), ports.models(), workers.looks(), gate.compares()),
        new Tables(rows, copies, traffic));
  }

  /** Copies of rows in a mapped file, if the settings say so. */
  private static @Nullable MappedRowCopies copies(LearnerContext context) {
    RowsFolder folder = context.memory().mappedRows();
    if (folder == null) {
      return null;
    }
    try {
      return MappedRowCopies.open(
          context.ports().state().rows(),
          EmbeddingPlans.of(context.identity().settings().model()),
          folder);
    } catch (RowsFolderException refused) {
      throw new UncheckedIOException(refused);
    }
  }

  private static @Nullable RowTables rows(
      LearnerContext context, @Nullable MappedRowCopies copies, StoreMeter traffic) {
    ApplicationSettings settings = context.identity().settings();
    ModelSpec spec = settings.model();
    if (spec.embeddings().tables().isEmpty()) {
      return null;
    }
    return new RowTables(
        EmbeddingPlans.of(spec),
        EmbeddingPlans.rule(spec, settings.seed()),
        settings.memory().rows(),
        new MeteredRowStore(copies == null ? context.ports().state().rows() : copies, traffic));
  }

  /** Deletes files that need not outlive the learner. */
  @Override
  public void close() {
    MappedRowCopies copies = tables.copies();
    if (copies != null) {
      copies.close();
    }
  }
}
