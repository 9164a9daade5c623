package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.PublishedModels.ServedFiles;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.manifest.Pin;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the pin of a learner's models periodically, and notices when a user has changed it.
 * Operators set pins while the learner runs, so the pin is read from time to time, on another
 * thread because the medium can be slow. Called by the operator's thread.
 */
public final class ServiceWatch {
  /** Milliseconds from the end of one read of the pin to the next; subscribers read as often. */
  static final long LOOK_MILLIS = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(ServiceWatch.class);

  private final LearnerKey key;
  private final PublishedModels models;
  private final Executor looks;
  private final boolean loads;
  private @Nullable Pin pin;

  /**
   * Files of a version that was put in service by hand and that the learner has not handled yet.
   */
  private @Nullable ServedFiles unheeded;

  private @Nullable CompletableFuture<Found> looking;
  private boolean outdated;
  private long lookAtMillis = Long.MIN_VALUE;
  private String problem = "";

  /**
   * @param key key of the learner, for messages
   * @param looks runs tasks that read {@code models}
   * @param loads whether to load the version in service when the pin has changed
   */
  public ServiceWatch(LearnerKey key, PublishedModels models, Executor looks, boolean loads) {
    this.key = key;
    this.models = models;
    this.looks = looks;
    this.loads = loads;
  }

  /**
   * A changed pin, with the files of the version that it puts in service.
   *
   * @param pin the present pin, whether it is in effect or not; null if there is none
   * @param serves files of the version in service; null if they are not to be loaded, or if no
   *     version is in service
   */
  record Found(@Nullable Pin pin, @Nullable ServedFiles serves) {}

  /**
   * Returns the pin that was read last if it puts a version other than the newest in service; else
   * null.
   */
  public @Nullable Pin pin(long newestVersion) {
    Pin found = pin;
    return found != null && found.holds(newestVersion) && found.version() != newestVersion
        ? found
        : null;
  }

  /**
   * Returns the files that a new pin has put in service and that were not taken yet; null if there
   * are none.
   */
  @Nullable ServedFiles unheeded() {
    return unheeded;
  }

  /** Returns the files that a new pin has put in service, and forgets them. */
  @Nullable ServedFiles takeUnheeded() {
    ServedFiles taken = unheeded;
    unheeded = null;
    return taken;
  }

  /**
   * Discards the result of a running read, because the learner has changed the version in service.
   */
  void outdated() {
    outdated = looking != null;
  }

  /** Returns a changed pin; null if it has not changed. Starts the next read when it is due. */
  @Nullable Found poll(LearnerTime now) {
    CompletableFuture<Found> ended = looking;
    if (ended == null) {
      if (now.millis() >= lookAtMillis) {
        begin();
      }
      return null;
    }
    if (!ended.isDone()) {
      return null;
    }
    looking = null;
    if (outdated) {
      outdated = false;
      return null;
    }
    lookAtMillis = now.millis() + LOOK_MILLIS;
    return changed(ended);
  }

  private void begin() {
    Pin known = pin;
    try {
      looking = CompletableFuture.supplyAsync(() -> look(known), looks);
    } catch (RejectedExecutionException closing) {
      LOG.debug("{} is closing and does not read its pin any more", key, closing);
    }
  }

  private Found look(@Nullable Pin known) {
    try {
      Pin found = models.pin().orElse(null);
      boolean same = Objects.equals(found, known);
      return new Found(found, same || !loads ? null : models.inService().orElse(null));
    } catch (IOException unreadable) {
      throw new CompletionException(unreadable);
    }
  }

  private @Nullable Found changed(CompletableFuture<Found> ended) {
    Found found;
    try {
      found = ended.join();
    } catch (CompletionException unreadable) {
      String now = String.valueOf(unreadable.getCause());
      if (!now.equals(problem)) {
        LOG.warn("{}: cannot read which version serves: {}", key, now);
      }
      problem = now;
      return null;
    }
    problem = "";
    if (Objects.equals(found.pin(), pin)) {
      return null;
    }
    pin = found.pin();
    unheeded = found.serves();
    return found;
  }
}
