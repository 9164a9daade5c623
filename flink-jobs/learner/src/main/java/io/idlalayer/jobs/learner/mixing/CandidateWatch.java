package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.CandidateWork;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
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
 * Reads which mixed model is to be compared with its baseline, and the newest verdict. The reads
 * run on the looks thread (the background thread that reads {@code models}). Called by the
 * operator's thread.
 */
final class CandidateWatch {
  /** Milliseconds from one read to the next while a contribution or a comparison is open. */
  static final long OPEN_MILLIS = 100;

  /** Milliseconds from one read to the next otherwise. */
  static final long SETTLED_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(CandidateWatch.class);

  private final LearnerKey key;
  private final MixedModels models;
  private final String incarnation;
  private final Executor looks;
  private @Nullable CompletableFuture<Seen> looking;
  private long lookAtMillis = Long.MIN_VALUE;
  private String problem = "";

  CandidateWatch(LearnerKey key, MixedModels models, String incarnation, Executor looks) {
    this.key = key;
    this.models = models;
    this.incarnation = incarnation;
    this.looks = looks;
  }

  /**
   * A mixed model that this learner is allowed to score.
   *
   * @param baselineVersion version of the baseline; 0 if the baseline does not serve
   * @param contained digest of the newest contribution of this learner that the model contains; ""
   *     if there is none
   * @param inBaseline digest of the contribution of this learner that the baseline contains; "" if
   *     there is none
   */
  record Candidate(
      long round,
      long baselineVersion,
      ModelArtifact model,
      ModelArtifact baseline,
      String contained,
      String inBaseline) {}

  /**
   * The newest verdict.
   *
   * @param own whether the model of the verdict names the incarnation of this learner; if not, the
   *     verdict is possibly from an earlier attempt of the job with other round numbers
   * @param contained digest of the newest contribution of this learner that the model contains; ""
   *     if there is none
   */
  record Judged(long round, boolean own, CandidateVerdict verdict, String contained) {}

  /** What one read has found. */
  record Seen(@Nullable Candidate candidate, @Nullable Judged judged) {
    static final Seen NOTHING = new Seen(null, null);
  }

  /**
   * Returns what was read since the last call. Starts the next read when it is due.
   *
   * @param known round of the newest candidate that was returned
   * @param open whether a contribution or a comparison is open
   */
  Seen poll(long known, boolean open, long nowMillis) {
    CompletableFuture<Seen> ended = looking;
    if (ended != null && ended.isDone()) {
      looking = null;
      lookAtMillis = nowMillis + (open ? OPEN_MILLIS : SETTLED_MILLIS);
      return taken(ended);
    }
    if (ended == null && nowMillis >= lookAtMillis) {
      try {
        looking = CompletableFuture.supplyAsync(() -> look(known), looks);
      } catch (RejectedExecutionException closing) {
        LOG.debug("{} is closing and does not look for mixed models any more", key, closing);
      }
    }
    return Seen.NOTHING;
  }

  /** Makes the next read begin soon, because a contribution is open now. */
  void hurry(long nowMillis) {
    lookAtMillis = Math.min(lookAtMillis, nowMillis + OPEN_MILLIS);
  }

  /** Returns when to poll again. */
  long nextPollMillis(long nowMillis, long pollMillis) {
    return looking != null ? nowMillis + pollMillis : lookAtMillis;
  }

  private Seen look(long known) {
    try {
      return new Seen(
          candidate(known, models.candidate().orElse(null)), judged(models.verdict().orElse(null)));
    } catch (IOException unreadable) {
      throw new CompletionException(unreadable);
    }
  }

  /**
   * Returns a model only if it names the incarnation of this learner. Another model can come from
   * an earlier attempt of the job, which possibly trained it on samples that wait here.
   */
  private @Nullable Candidate candidate(long known, @Nullable ModelCheckpoint newest)
      throws IOException {
    MixedVersion version = newest == null ? null : MixedVersion.of(newest.manifest()).orElse(null);
    if (newest == null || version == null || version.round() <= known || !names(version)) {
      return null;
    }
    SortedMap<String, byte[]> files = models.load(newest);
    return new Candidate(
        version.round(),
        CandidateWork.baselineVersion(newest.manifest()),
        new ModelArtifact(CandidateWork.candidate(files)),
        new ModelArtifact(CandidateWork.baseline(files)),
        contained(version),
        CandidateWork.inBaseline(newest.manifest(), key.partition()));
  }

  private boolean names(MixedVersion version) {
    return version.of(key.partition()).stream()
        .anyMatch(mine -> mine.incarnation().equals(incarnation));
  }

  private @Nullable Judged judged(@Nullable ModelCheckpoint newest) {
    MixedVersion version = newest == null ? null : MixedVersion.of(newest.manifest()).orElse(null);
    CandidateVerdict verdict =
        newest == null ? null : CandidateVerdict.of(newest.manifest()).orElse(null);
    return version == null || verdict == null
        ? null
        : new Judged(version.round(), names(version), verdict, contained(version));
  }

  private String contained(MixedVersion version) {
    return version.of(key.partition()).map(Contributor::digest).orElse("");
  }

  private Seen taken(CompletableFuture<Seen> ended) {
    try {
      Seen seen = ended.join();
      problem = "";
      return seen;
    } catch (CompletionException unreadable) {
      String now = String.valueOf(unreadable.getCause());
      if (!now.equals(problem)) {
        LOG.warn("{}: the mixed model to compare cannot be read, and is tried again: {}", key, now);
      }
      problem = now;
      return Seen.NOTHING;
    }
  }
}
