package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.UpdateView;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.LearnerKey;
import io.idlalayer.middleware.checkpoint.ModelCheckpoint;
import io.idlalayer.middleware.checkpoint.ModelDraft;
import io.idlalayer.middleware.checkpoint.ModelNotice;
import io.idlalayer.modelcontroller.training.Dl4jRuntime;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the accepted model on the trainer thread, so that it is done before the next training
 * starts. A failed publication (full disk, say) is tried again with growing pauses while the last
 * published version keeps serving; after {@link #ATTEMPTS} attempts the job fails and starts again
 * from its checkpoint, where the publication is still pending.
 */
final class Publication {
  static final int ATTEMPTS = 10;

  /** Attribute of a manifest without parent: the version after which everything began again. */
  static final String BEGINS_AGAIN = "beginsAgainAfterVersion";

  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;

  private final LearnerParts parts;
  private @Nullable AcceptedModel model;
  private @Nullable Future<ModelCheckpoint> running;
  private int failures;
  private long retryAtMillis;

  Publication(LearnerParts parts) {
    this.parts = parts;
  }

  /** Starts publishing; a model still waiting for its retry is superseded. */
  void start(AcceptedModel accepted, long minimumVersion) {
    model = accepted;
    failures = 0;
    submit(accepted, minimumVersion);
  }

  private void submit(AcceptedModel accepted, long minimumVersion) {
    ModelDraft draft = draft(accepted, minimumVersion);
    int keep = parts.settings().publishing().keep();
    running =
        parts
            .trainerThread()
            .run(
                () -> {
                  ModelCheckpoint done = parts.models().publish(parentless(draft));
                  parts.models().retain(draft.application(), draft.partition(), keep, Set.of());
                  return done;
                });
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
      return new Outcome(current, published, null);
    } catch (ExecutionException failed) {
      return failed(current, failed.getCause(), nowMillis);
    }
  }

  private Outcome failed(AcceptedModel current, @Nullable Throwable cause, long nowMillis) {
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

  private ModelDraft draft(AcceptedModel accepted, long minimumVersion) {
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
    attributes.put("seed", Long.toString(settings.seed()));
    attributes.put("runtime", Dl4jRuntime.describe());
    attributes.put("threads", Integer.toString(Dl4jRuntime.threads()));
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
   * A first model over versions that were published before says so: its application was told to
   * start over, or went on from a checkpoint older than its first model.
   */
  private ModelDraft parentless(ModelDraft draft) throws IOException {
    if (draft.parentVersion() != 0) {
      return draft;
    }
    List<ModelCheckpoint> before = parts.models().list(draft.application(), draft.partition());
    if (before.isEmpty()) {
      return draft;
    }
    TreeMap<String, String> attributes = new TreeMap<>(draft.attributes());
    long version = before.get(before.size() - 1).manifest().version();
    attributes.put(BEGINS_AGAIN, Long.toString(version));
    return new ModelDraft(
        draft.application(),
        draft.partition(),
        draft.minimumVersion(),
        draft.parentVersion(),
        draft.parentDigest(),
        draft.inputOffsets(),
        draft.counts(),
        draft.metrics(),
        attributes,
        draft.files());
  }

  /** What is told to those who serve models. */
  static ModelNotice notice(LearnerKey key, ModelCheckpoint done, long nowMillis) {
    return new ModelNotice(
        key.application(), key.partition(), done.manifest().version(), done.digest(), nowMillis);
  }
}
