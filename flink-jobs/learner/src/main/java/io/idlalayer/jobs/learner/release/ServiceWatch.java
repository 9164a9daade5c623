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
 * Knows the pin of a learner's models. People set pins while the learner runs, so it looks now and
 * then, on another thread, as the medium may be slow. Called by the operator's thread.
 */
public final class ServiceWatch {
  /** Time from the end of a look to the next one; subscribers look as often. */
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
   * @param key for messages
   * @param looks runs what reads {@code models}
   * @param loads whether the version in service is loaded when the pin has changed
   */
  public ServiceWatch(LearnerKey key, PublishedModels models, Executor looks, boolean loads) {
    this.key = key;
    this.models = models;
    this.looks = looks;
    this.loads = loads;
  }

  /**
   * Another pin than before.
   *
   * @param pin that there is, whether it holds or not; null for none
   * @param serves the version in service; null if it is not to be loaded, or there is none
   */
  record Found(@Nullable Pin pin, @Nullable ServedFiles serves) {}

  /** The pin that was found last, if it lets an older version serve than the newest; else null. */
  public @Nullable Pin pin(long newestVersion) {
    Pin found = pin;
    return found != null && found.holds(newestVersion) && found.version() != newestVersion
        ? found
        : null;
  }

  /** What another pin has put in service, until it is taken; null if there is nothing new. */
  @Nullable ServedFiles unheeded() {
    return unheeded;
  }

  /** Takes what another pin has put in service, to be heeded now. */
  @Nullable ServedFiles takeUnheeded() {
    ServedFiles taken = unheeded;
    unheeded = null;
    return taken;
  }

  /** The learner has changed what serves: what a look finds that has begun before is of no use. */
  void outdated() {
    outdated = looking != null;
  }

  /** What has changed; null if nothing has. Begins the next look when it is time. */
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
      LOG.debug("{} does not look at its pin any more", key, closing);
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
        LOG.warn("{}: it is not known which version serves: {}", key, now);
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
