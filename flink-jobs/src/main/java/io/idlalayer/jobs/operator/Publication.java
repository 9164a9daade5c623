package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.source.LearnerKey;
import io.idlalayer.middleware.checkpoint.CorruptModelException;
import io.idlalayer.middleware.checkpoint.FencedPublisherException;
import io.idlalayer.middleware.checkpoint.ModelCheckpoint;
import io.idlalayer.middleware.checkpoint.ModelDraft;
import io.idlalayer.middleware.checkpoint.ModelNotice;
import io.idlalayer.middleware.checkpoint.ModelPublisher;
import io.idlalayer.modelcontroller.training.Dl4jRuntime;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the accepted model on the trainer thread, so that it is done before the next training
 * starts. A failed publication (full disk, say) is tried again with growing pauses while the last
 * published version keeps serving; after {@link #ATTEMPTS} attempts the job fails and starts again
 * from its checkpoint, where the publication is still pending.
 *
 * <p>The publisher's place is taken when the learner opens, so an older attempt of the job, or
 * another run, that is still alive somewhere is fenced before anything new is learned. A learner
 * that is fenced itself fails: for good if another run has the place, else the job starts again.
 *
 * <p>Old versions are deleted by a task of its own after each publication. What it cannot delete is
 * logged and tried again after the next one; it never counts as a failed publication.
 */
final class Publication {
  static final int ATTEMPTS = 10;

  /** The manifest's attribute that says that a version is not made from the one before it. */
  static final String BRANCH = "branch";

  private static final Logger LOG = LoggerFactory.getLogger(Publication.class);
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;

  private final LearnerParts parts;
  private @Nullable AcceptedModel model;
  private @Nullable Future<ModelCheckpoint> running;
  private @Nullable Future<ModelPublisher.CleanUp> cleaning;

  private int failures;
  private long retryAtMillis;

  Publication(LearnerParts parts) {
    this.parts = parts;
    try {
      parts.models().claim();
    } catch (IOException failed) {
      LOG.warn("{} takes the publisher's place later, at its first model", parts.key(), failed);
    }
  }

  /** Starts publishing; a model still waiting for its retry is superseded. */
  void start(AcceptedModel accepted, long minimumVersion) {
    model = accepted;
    failures = 0;
    submit(accepted, minimumVersion);
  }

  private void submit(AcceptedModel accepted, long minimumVersion) {
    running =
        parts.trainerThread().run(() -> parts.models().publish(draft(accepted, minimumVersion)));
  }

  /** Queues the deletion of old versions, unless one is queued already. */
  private void cleanUp() {
    Future<ModelPublisher.CleanUp> before = cleaning;
    if (before != null && !before.isDone()) {
      return;
    }
    int keep = parts.settings().publishing().keep();
    cleaning = parts.trainerThread().run(() -> cleanUpOrSay(keep));
  }

  private ModelPublisher.CleanUp cleanUpOrSay(int keep) {
    try {
      return parts.models().cleanUp(keep);
    } catch (IOException failed) {
      LOG.warn("old versions of {} stay for now", parts.key(), failed);
      return new ModelPublisher.CleanUp(0, List.of(String.valueOf(failed)));
    }
  }

  /** Whether an attempt is under way: nothing may be accepted before its outcome is known. */
  boolean running() {
    return running != null;
  }

  boolean idle() {
    return model == null;
  }

  /** When to look again; Long.MAX_VALUE if there is nothing to wait for. */
  long nextLookMillis(long nowMillis, long pollMillis) {
    if (model == null) {
      return Long.MAX_VALUE;
    }
    return running != null ? nowMillis + pollMillis : retryAtMillis;
  }

  /** What became of the running attempt. */
  record Outcome(
      AcceptedModel model, @Nullable ModelCheckpoint published, @Nullable String failure) {}

  /** The outcome of an attempt that just ended, or null. Starts the retry that is due. */
  @Nullable Outcome poll(long nowMillis, long minimumVersion) throws InterruptedException {
    AcceptedModel current = model;
    if (current == null) {
      return null;
    }
    if (running == null) {
      if (nowMillis >= retryAtMillis) {
        submit(current, minimumVersion);
      }
      return null;
    }
    if (!running.isDone()) {
      return null;
    }
    Future<ModelCheckpoint> ended = running;
    running = null;
    try {
      ModelCheckpoint published = ended.get();
      model = null;
      cleanUp();
      return new Outcome(current, published, null);
    } catch (ExecutionException failed) {
      return failed(current, failed.getCause(), nowMillis);
    }
  }

  private Outcome failed(AcceptedModel current, @Nullable Throwable cause, long nowMillis) {
    if (cause instanceof FencedPublisherException fenced) {
      if (fenced.sameRun()) {
        throw new IllegalStateException(fenced.getMessage(), fenced);
      }
      throw new LastingFailureException(String.valueOf(fenced.getMessage()), fenced);
    }
    failures++;
    String message =
        "publishing update %d failed (attempt %d of %d): %s"
            .formatted(current.update().number(), failures, ATTEMPTS, cause);
    if (failures >= ATTEMPTS) {
      throw new IllegalStateException(message, cause);
    }
    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << (failures - 1));
    retryAtMillis = nowMillis + pause;
    return new Outcome(
        current,
        null,
        message + "; the last version keeps serving, next attempt in " + pause + " ms");
  }

  private ModelDraft draft(AcceptedModel accepted, long minimumVersion) throws IOException {
    ApplicationSettings settings = parts.settings();
    UpdateView update = accepted.update();
    TreeMap<String, Long> counts = new TreeMap<>();
    counts.put("updateNumber", update.number());
    counts.put("newSamples", (long) update.newSamples());
    counts.put("replayedSamples", (long) update.replayedSamples());
    counts.put("trainedNewSamples", accepted.trainedNewSamples());
    TreeMap<String, Double> metrics = new TreeMap<>();
    metrics.put("trainSeconds", update.trainSeconds());
    metrics.put("predictedTrainSeconds", update.predictedTrainSeconds());
    metrics.put("meanLossBefore", update.meanLossBefore());
    metrics.put("meanLossAfter", update.meanLossAfter());
    TreeMap<String, String> attributes = new TreeMap<>();
    attributes.put("rule", update.rule());
    attributes.put("reason", update.reason());
    SettingsIdentity identity = SettingsIdentity.of(settings);
    attributes.put(SettingsIdentity.ATTRIBUTE, identity.json());
    attributes.put(SettingsIdentity.DIGEST_ATTRIBUTE, identity.digest());
    attributes.put("seed", Long.toString(settings.seed()));
    attributes.put("runtime", Dl4jRuntime.describe());
    attributes.put("threads", Integer.toString(Dl4jRuntime.threads()));
    String branch = branch(accepted);
    if (!branch.isEmpty()) {
      attributes.put(BRANCH, branch);
    }
    return new ModelDraft(
        settings.name(),
        parts.key().partition(),
        minimumVersion,
        update.parentVersion(),
        accepted.parentDigest(),
        accepted.inputOffsets(),
        counts,
        metrics,
        attributes,
        accepted.artifact().served());
  }

  /**
   * What a version says that is not made from the version in service: a restore went back behind
   * that one. "" for a version that is.
   */
  private String branch(AcceptedModel accepted) throws IOException {
    long parent = accepted.update().parentVersion();
    String from = parent == 0 ? "begins anew" : "continues version " + parent;
    try {
      Optional<ModelCheckpoint> before = parts.models().current();
      boolean follows =
          before.isEmpty() ? parent == 0 : before.get().digest().equals(accepted.parentDigest());
      return follows
          ? ""
          : from
              + before
                  .map(it -> "; version " + it.manifest().version() + " is given up")
                  .orElse("; no version is in service");
    } catch (CorruptModelException damaged) {
      return from + "; the version in service cannot be read";
    }
  }

  /** What is told to those who serve models. */
  static ModelNotice notice(LearnerKey key, ModelCheckpoint done, long nowMillis) {
    return new ModelNotice(
        key.application(), key.partition(), done.manifest().version(), done.digest(), nowMillis);
  }
}
