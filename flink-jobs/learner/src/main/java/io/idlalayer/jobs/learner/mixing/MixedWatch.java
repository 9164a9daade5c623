package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads which mixed version is the newest, and the files of this version if the learner is allowed
 * to adopt it. The reads run on the looks thread (the background thread that reads {@code models}).
 * Called by the operator's thread.
 */
final class MixedWatch {
  /** Milliseconds from one read to the next while a contribution is open. */
  static final long OPEN_MILLIS = 100;

  /** Milliseconds from one read to the next otherwise. */
  static final long SETTLED_MILLIS = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(MixedWatch.class);

  private final LearnerKey key;
  private final MixedModels models;
  private final String incarnation;
  private final Executor looks;
  private @Nullable CompletableFuture<@Nullable Found> looking;
  private @Nullable Found found;
  private long lookAtMillis = Long.MIN_VALUE;
  private String problem = "";

  MixedWatch(LearnerKey key, MixedModels models, String incarnation, Executor looks) {
    this.key = key;
    this.models = models;
    this.incarnation = incarnation;
    this.looks = looks;
  }

  /** A version that names the learner, with its files. */
  record Found(
      ModelCheckpoint checkpoint,
      MixedVersion version,
      Contributor mine,
      SortedMap<String, byte[]> files) {}

  /**
   * Returns the newest version that was found to be adoptable; null if there is none. Starts the
   * next read when it is due.
   */
  @Nullable Found poll(MixedBase base, boolean open, long nowMillis) {
    CompletableFuture<@Nullable Found> ended = looking;
    if (ended != null && ended.isDone()) {
      looking = null;
      lookAtMillis = nowMillis + (open ? OPEN_MILLIS : SETTLED_MILLIS);
      take(ended);
    } else if (ended == null && nowMillis >= lookAtMillis) {
      begin(base);
    }
    Found known = found;
    if (known != null && !adoptable(known.version(), known.mine(), base)) {
      found = null;
      return null;
    }
    return known;
  }

  /** Makes the next read begin soon, because a contribution is open now. */
  void hurry(long nowMillis) {
    lookAtMillis = Math.min(lookAtMillis, nowMillis + OPEN_MILLIS);
  }

  /** Returns when to poll again. */
  long nextPollMillis(long nowMillis, long pollMillis) {
    return looking != null || found != null ? nowMillis + pollMillis : lookAtMillis;
  }

  private void begin(MixedBase base) {
    Found known = found;
    try {
      looking = CompletableFuture.supplyAsync(() -> look(base, known), looks);
    } catch (RejectedExecutionException closing) {
      LOG.debug("{} is closing and does not look for mixed versions any more", key, closing);
    }
  }

  private @Nullable Found look(MixedBase base, @Nullable Found known) {
    try {
      Found best = known;
      for (ModelCheckpoint newest : models.newest()) {
        MixedVersion version = MixedVersion.of(newest.manifest()).orElse(null);
        Contributor mine = version == null ? null : version.of(key.partition()).orElse(null);
        if (version != null
            && mine != null
            && adoptable(version, mine, base)
            && (best == null || version.round() > best.version().round())) {
          best = new Found(newest, version, mine, models.load(newest));
        }
      }
      return best;
    } catch (IOException unreadable) {
      throw new CompletionException(unreadable);
    }
  }

  /**
   * Returns whether a learner is allowed to adopt a version: the version must name the learner's
   * incarnation, be of a later round than the last adopted version, and contain the learner's last
   * contribution. A learner that has adopted no version is also allowed to join with a version that
   * contains no contribution of it.
   */
  private boolean adoptable(MixedVersion version, Contributor mine, MixedBase base) {
    return version.round() > base.round()
        && mine.incarnation().equals(incarnation)
        && (mine.digest().equals(base.digest()) || joins(mine, base));
  }

  /**
   * Returns whether a learner joins with a version. The version then replaces the learner's model.
   */
  static boolean joins(Contributor mine, MixedBase base) {
    return base.round() == 0 && mine.digest().isEmpty();
  }

  private void take(CompletableFuture<@Nullable Found> ended) {
    try {
      found = ended.join();
      problem = "";
    } catch (CompletionException unreadable) {
      String now = String.valueOf(unreadable.getCause());
      if (!now.equals(problem)) {
        LOG.warn("{}: the newest mixed version cannot be read, and is tried again: {}", key, now);
      }
      problem = now;
    }
  }
}
