package io.idlalayer.jobs.learner.publish;

import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.processor.ProcessorPart;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.jobs.storage.StorageFault;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes old versions of a learner's model, and versions that have learned from forgotten samples.
 * The deletion is a separate task on the trainer thread. It runs after a publication, at most every
 * 2 seconds, and at once at the end of the input. A failure never counts as a failed publication.
 *
 * <p>Old versions that cannot be deleted are logged and tried again after the next publication. If
 * versions that have learned from forgotten samples are left, the next attempt follows after a
 * pause of 1 second, which doubles up to a minute. After the end of the input there are at most
 * {@link #LAST_ATTEMPTS} attempts. Called by the operator's thread.
 */
public final class VersionCleanUp {
  private static final Logger LOG = LoggerFactory.getLogger(VersionCleanUp.class);

  /**
   * Least time between two clean-ups, in milliseconds. A clean-up of one version takes as long as a
   * clean-up of many.
   */
  private static final long PAUSE_MILLIS = 2_000;

  private static final long FIRST_RETRY_MILLIS = 1_000;
  private static final long LONGEST_RETRY_MILLIS = 60_000;

  /**
   * Largest number of failed attempts after the end of the input. They take half a minute together.
   */
  static final int LAST_ATTEMPTS = 6;

  private final LearnerIdentity learner;
  private final PublishedModels models;
  private final WorkQueue trainerThread;
  private final ProcessorTime processor;
  private @Nullable Future<Attempt> cleaning;
  private boolean due;
  private long nextAtMillis = Long.MIN_VALUE;
  private long retryAtMillis = Long.MIN_VALUE;
  private int failures;
  private boolean ending;

  /** All versions up to this one are deleted. */
  private long deletedUpTo;

  private @Nullable String problem;

  /**
   * The result of an attempt.
   *
   * @param forgottenBefore the newest version that had to be deleted; 0 if there is none
   * @param problem why a version is left; "" if none is left
   */
  private record Attempt(long forgottenBefore, String problem) {}

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

  /** Records that there are possibly versions to delete. */
  void becomesDue() {
    due = true;
  }

  /** Returns whether all versions up to this one are deleted. */
  boolean deleted(long upTo) {
    return deletedUpTo >= upTo;
  }

  /** Returns whether the input has ended and no further attempt will follow the failed attempts. */
  public boolean gaveUp() {
    return ending && failures >= LAST_ATTEMPTS;
  }

  /**
   * Returns why versions that must not be left could not be deleted; null if they were deleted, or
   * if this method has already returned the reason.
   */
  public @Nullable String takeProblem() {
    String taken = problem;
    problem = null;
    return taken;
  }

  /** Returns when to call {@link #poll} again; Long.MAX_VALUE if there is nothing to delete. */
  long nextLookMillis(long nowMillis, long pollMillis) {
    if (cleaning != null) {
      return nowMillis + pollMillis;
    }
    return due && !gaveUp()
        ? Math.max(Math.max(nextAtMillis, retryAtMillis), nowMillis + pollMillis)
        : Long.MAX_VALUE;
  }

  /**
   * Queues the deletion of old versions if it is due, unless one is queued already.
   *
   * @param atOnce whether the input has ended, so that the deletion does not wait for the time
   *     between two clean-ups
   * @param needed versions that are kept
   * @param forgottenBefore the newest version that must not serve any more; 0 if there is none
   */
  void poll(boolean atOnce, long nowMillis, Set<Long> needed, long forgottenBefore)
      throws InterruptedException {
    if (atOnce != ending) {
      ending = atOnce;
      failures = 0;
      retryAtMillis = Long.MIN_VALUE;
    }
    Future<Attempt> before = cleaning;
    if (before != null) {
      if (!before.isDone()) {
        return;
      }
      cleaning = null;
      ended(before, nowMillis);
    }
    boolean waits = nowMillis < retryAtMillis || !(atOnce || nowMillis >= nextAtMillis);
    if (!due || waits || gaveUp()) {
      return;
    }
    nextAtMillis = nowMillis + PAUSE_MILLIS;
    due = false;
    int keep = learner.settings().publishing().keep();
    cleaning = trainerThread.run(() -> cleanUpOrSay(keep, needed, forgottenBefore));
  }

  private void ended(Future<Attempt> attempt, long nowMillis) throws InterruptedException {
    Attempt done;
    try {
      done = attempt.get();
    } catch (ExecutionException failed) {
      throw new IllegalStateException(
          "old versions of %s could not be deleted".formatted(learner.key()), failed.getCause());
    }
    if (done.forgottenBefore() == 0) {
      return;
    }
    if (done.problem().isEmpty()) {
      deletedUpTo = Math.max(deletedUpTo, done.forgottenBefore());
      failures = 0;
      retryAtMillis = Long.MIN_VALUE;
      return;
    }
    due = true;
    failures++;
    int doublings = Math.min(failures - 1, 6);
    retryAtMillis = nowMillis + Math.min(LONGEST_RETRY_MILLIS, FIRST_RETRY_MILLIS << doublings);
    if (failures == 1 || gaveUp()) {
      String next =
          gaveUp() ? "the input has ended, so it is not tried again" : "it is tried again";
      problem =
          "versions up to %d, which may have learned from forgotten samples, could not be deleted: %s; %s"
              .formatted(done.forgottenBefore(), done.problem(), next);
    }
  }

  private Attempt cleanUpOrSay(int keep, Set<Long> needed, long forgottenBefore) {
    try (ProcessorTime.Counted counted = processor.begin(ProcessorPart.CLEANING_UP)) {
      if (forgottenBefore > 0) {
        models.forget(forgottenBefore);
      }
      List<String> left = models.cleanUp(keep, needed).left();
      return new Attempt(forgottenBefore, String.join("; ", left));
    } catch (IOException failed) {
      LOG.warn("old versions of {} could not be deleted", learner.key(), failed);
      return new Attempt(forgottenBefore, StorageFault.why(failed));
    }
  }
}
