package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.selection.SelectionPolicies;
import io.idlalayer.datacontroller.selection.SelectionPolicy;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.jobs.learner.samples.SamplePrefetcher;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.function.Function;

/** Creates learners, either new or from their state. */
public final class LearnerFactory {
  private LearnerFactory() {}

  /**
   * Opens the learner of the current key from its keyed state; if the state is empty, a new one. It
   * starts no work; {@link Learner#tick} does, and must be called before the first event.
   *
   * @throws LastingFailureException if the state was written with other settings, or does not fit
   *     into memory
   */
  public static Learner open(LearnerContext context) {
    ApplicationSettings settings = context.identity().settings();
    return open(
        context, index -> SelectionPolicies.of(settings.data().replay(), settings.seed(), index));
  }

  /** Opens a learner with a given selection policy in place of the one that the settings name. */
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
      Learner learner = new Learner(context, components, checkpoint, prefetcher, restored);
      done = true;
      return learner;
    } finally {
      if (!done) {
        prefetcher.close();
      }
    }
  }
}
