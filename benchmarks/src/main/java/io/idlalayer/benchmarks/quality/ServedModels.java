package io.idlalayer.benchmarks.quality;

import io.idlalayer.jobs.learner.PublishedModels;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.training.TestedModels;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Those who serve: predicts each event by the version that is in service when it comes. Keeps every
 * version on the heap. Confined to one thread; frees its model.
 */
final class ServedModels implements PublishedModels, AutoCloseable {
  /** A version is harmful if it is so much worse than the one before it. */
  private static final double HARM = 0.05;

  /** Events after a version's publication on which it is compared. */
  private static final int LOOK_AHEAD = 1_000;

  private final TestedModels models;
  private final List<ModelArtifact> versions = new ArrayList<>();
  private final List<Sample> open = new ArrayList<>();
  private final boolean[] right;
  private final int[] trueLabels;
  private @Nullable ModelCheckpoint newest;
  private @Nullable TaskModel serving;
  private int predicted;
  private int rollbacks;
  private int rightly;
  private int harmful;
  private final List<Sample> all;

  /**
   * @param all every event of the stream
   * @param trueLabels class of each event
   */
  ServedModels(TestedModels models, List<Sample> all, int[] trueLabels) {
    this.models = models;
    this.all = all;
    this.trueLabels = trueLabels;
    right = new boolean[trueLabels.length];
  }

  /** An event comes. */
  void arrived(Sample sample) {
    open.add(sample);
  }

  /** Predicts what has come since the version in service last changed. */
  void finish() {
    TaskModel model = serving;
    if (model != null && !open.isEmpty()) {
      float[][] predictions = model.predict(open);
      for (int i = 0; i < predictions.length; i++) {
        right[predicted + i] = best(predictions[i]) == trueLabels[predicted + i];
      }
    }
    predicted += open.size();
    open.clear();
  }

  private static int best(float[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      best = probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
  }

  /** Share of right predictions among some events. */
  double accuracy(int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      count += right[i] ? 1 : 0;
    }
    return count / (double) (to - from);
  }

  int published() {
    return versions.size();
  }

  int rollbacks() {
    return rollbacks;
  }

  /** Rollbacks to a version that is better on the whole stream. */
  int rightly() {
    return rightly;
  }

  /**
   * Publications that made serving worse by five points or more: accuracy of the new version and of
   * the one that it replaced, on the next thousand events with their true labels.
   */
  int harmful() {
    return harmful;
  }

  /** Of a version on every event of the stream. */
  private double accuracyOnAll(ModelArtifact artifact) {
    try (TaskModel model = models.load(artifact)) {
      return accuracy(model, 0, all.size());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** Of a model on some events; NaN without any. */
  private double accuracy(TaskModel model, int from, int to) {
    float[][] predictions = model.predict(all.subList(from, to));
    int count = 0;
    for (int i = 0; i < predictions.length; i++) {
      count += best(predictions[i]) == trueLabels[from + i] ? 1 : 0;
    }
    return count / (double) predictions.length;
  }

  /** Whether a version is much worse than the one in service on what comes next. */
  private boolean harms(ModelArtifact artifact, TaskModel before) throws IOException {
    int from = predicted + open.size();
    int to = Math.min(all.size(), from + LOOK_AHEAD);
    if (from == to) {
      return false;
    }
    try (TaskModel model = models.load(artifact)) {
      return accuracy(model, from, to) <= accuracy(before, from, to) - HARM;
    }
  }

  private void serve(ModelArtifact artifact) {
    finish();
    close();
    try {
      serving = models.load(artifact);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  @Override
  public void claim() {}

  @Override
  public ModelCheckpoint publish(ModelDraft draft) {
    ModelArtifact artifact = new ModelArtifact(new TreeMap<>(draft.files()));
    versions.add(artifact);
    TaskModel before = serving;
    try {
      harmful += before != null && harms(artifact, before) ? 1 : 0;
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    serve(artifact);
    ModelManifest manifest =
        new ModelManifest(
            ModelManifest.FORMAT_VERSION,
            draft.application(),
            draft.partition(),
            versions.size(),
            draft.parentVersion(),
            draft.parentDigest(),
            0,
            draft.inputOffsets(),
            draft.counts(),
            draft.metrics(),
            draft.attributes(),
            List.of());
    ModelCheckpoint done = new ModelCheckpoint("nowhere", manifest, "digest-" + versions.size());
    newest = done;
    return done;
  }

  @Override
  public Optional<ModelCheckpoint> current() {
    return Optional.ofNullable(newest);
  }

  @Override
  public void rollBack(long version, String digest, String reason) {
    rollbacks++;
    ModelArtifact back = versions.get((int) version - 1);
    ModelArtifact bad = versions.get(versions.size() - 1);
    rightly += accuracyOnAll(back) > accuracyOnAll(bad) ? 1 : 0;
    serve(back);
  }

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) {
    return new ModelPublisher.CleanUp(0, List.of());
  }

  @Override
  public void close() {
    TaskModel old = serving;
    serving = null;
    if (old != null) {
      old.close();
    }
  }
}
