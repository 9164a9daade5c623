package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.processor.ProcessorPart;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes old versions of a learner's model, and those that have learned from samples that are
 * forgotten, by a task of its own on the trainer thread: after a publication, at most every 2
 * seconds, and at once at the end of the input. What it cannot delete is logged and tried again
 * after the next publication; that never counts as a failed publication. Called by the operator's
 * thread.
 */
final class VersionCleanUp {
  private static final Logger LOG = LoggerFactory.getLogger(VersionCleanUp.class);

  /** Least time between two clean-ups; each takes as long for one version as for many. */
  private static final long PAUSE_MILLIS = 2_000;

  private final LearnerIdentity learner;
  private final PublishedModels models;
  private final WorkQueue trainerThread;
  private final ProcessorTime processor;
  private @Nullable Future<ModelPublisher.CleanUp> cleaning;
  private boolean due;
  private long nextAtMillis = Long.MIN_VALUE;

  VersionCleanUp(
      LearnerIdentity learner,
      PublishedModels models,
      WorkQueue trainerThread,
      ProcessorTime processor) {
    this.learner = learner;
    this.models = models;
    this.trainerThread = trainerThread;
    this.processor = processor;
  }

  /** Records that there may be something to delete. */
  void becomesDue() {
    due = true;
  }

  /** Returns whether nothing is to be deleted, and no deletion is under way. */
  boolean idle() {
    Future<ModelPublisher.CleanUp> last = cleaning;
    return !due && (last == null || last.isDone());
  }

  /** Returns when to call {@link #poll} again; Long.MAX_VALUE if there is nothing to delete. */
  long nextLookMillis(long nowMillis, long pollMillis) {
    return due ? Math.max(nextAtMillis, nowMillis + pollMillis) : Long.MAX_VALUE;
  }

  /**
   * Queues the deletion of old versions if it is due, unless one is queued already.
   *
   * @param atOnce whether it does not wait for the time between two of them
   * @param needed versions that stay
   * @param forgottenBefore the newest version that must not serve any more; 0 for none
   */
  void poll(boolean atOnce, long nowMillis, Set<Long> needed, long forgottenBefore) {
    if (!due || !(atOnce || nowMillis >= nextAtMillis)) {
      return;
    }
    nextAtMillis = nowMillis + PAUSE_MILLIS;
    Future<ModelPublisher.CleanUp> before = cleaning;
    if (before != null && !before.isDone()) {
      return;
    }
    due = false;
    int keep = learner.settings().publishing().keep();
    cleaning = trainerThread.run(() -> cleanUpOrSay(keep, needed, forgottenBefore));
  }

  private ModelPublisher.CleanUp cleanUpOrSay(int keep, Set<Long> needed, long forgottenBefore) {
    try (ProcessorTime.Counted counted = processor.begin(ProcessorPart.CLEANING_UP)) {
      if (forgottenBefore > 0) {
        models.forget(forgottenBefore);
      }
      return models.cleanUp(keep, needed);
    } catch (IOException failed) {
      LOG.warn("old versions of {} could not be deleted", learner.key(), failed);
      return new ModelPublisher.CleanUp(0, List.of(String.valueOf(failed)));
    }
  }
}
