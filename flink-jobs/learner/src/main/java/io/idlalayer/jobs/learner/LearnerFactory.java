package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.selection.SelectionPolicies;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.jobs.learner.memory.Claimant;
import io.idlalayer.jobs.learner.memory.FastMemory;
import io.idlalayer.jobs.learner.memory.RowsClaimant;
import io.idlalayer.jobs.learner.memory.SamplesClaimant;
import io.idlalayer.jobs.learner.memory.StoredSplit;
import io.idlalayer.jobs.learner.memory.TensorsClaimant;
import io.idlalayer.jobs.learner.samples.SamplePrefetcher;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Creates learners, either new or from their state. */
public final class LearnerFactory {
  private LearnerFactory() {}

  /**
   * Opens the learner of the current key from its keyed state, or creates a new learner if the
   * state is empty. This method starts no work. {@link Learner#tick} starts it and must be called
   * before the first event.
   *
   * @throws LastingFailureException if the state was written with other settings, or does not fit
   *     into memory
   */
  public static Learner open(LearnerContext context) {
    ApplicationSettings settings = context.identity().settings();
    return open(
        context, index -> SelectionPolicies.of(settings.data().replay(), settings.seed(), index));
  }

  /** Opens a learner with a given selection policy instead of the policy in the settings. */
  static Learner open(LearnerContext context, Function<SampleIndex, SelectionPolicy> selection) {
    LearnerContext.Ports ports = context.ports();
    LearnerContext.Memory memory = context.memory();
    SamplePrefetcher prefetcher =
        new SamplePrefetcher(
            context.identity(),
            ports.state().samples(),
            ports.clock().nanoTime(),
            memory.cache(),
            memory.donations(),
            memory.shared());
    boolean done = false;
    try {
      LearnerComponents components = LearnerComponents.of(context, prefetcher.store(), selection);
      LearnerCheckpoint checkpoint = new LearnerCheckpoint(context, components);
      LearnerCheckpoint.Restored restored = checkpoint.restore();
      FastMemory divided = divided(context, components, prefetcher, checkpoint.divided());
      Learner learner = new Learner(context, components, checkpoint, prefetcher, restored, divided);
      done = true;
      return learner;
    } finally {
      if (!done) {
        prefetcher.close();
      }
    }
  }

  /** Returns the learner's budget of DRAM; null if the sizes of its uses are fixed. */
  private static @Nullable FastMemory divided(
      LearnerContext context,
      LearnerComponents components,
      SamplePrefetcher prefetcher,
      StoredSplit stored) {
    FastBudget budget = context.identity().settings().memory().budget();
    if (budget == null) {
      stored.clear();
      return null;
    }
    LearnerClock clock = context.ports().clock();
    List<Claimant> claimants = new ArrayList<>();
    if (budget.divides(FastUse.SAMPLES)) {
      claimants.add(
          new SamplesClaimant(
              context.memory().cache(),
              prefetcher.owner(),
              prefetcher.meter(),
              budget,
              clock.nanoTime()));
    }
    RowTables rows = components.tables().rows();
    if (rows != null && budget.divides(FastUse.ROWS)) {
      claimants.add(new RowsClaimant(rows, components.tables().traffic(), budget));
    }
    TensorGrant tensors = context.memory().tensors();
    if (tensors != null) {
      claimants.add(new TensorsClaimant(tensors, budget));
    }
    return new FastMemory(
        budget.dividedBytes(), claimants, stored, clock.nanoTime(), clock.now().millis());
  }
}
