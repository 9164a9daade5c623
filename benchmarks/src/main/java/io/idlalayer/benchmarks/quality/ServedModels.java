package io.idlalayer.benchmarks.quality;

import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
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
 * Acts as a serving process: predicts each event with the version that is in service when the event
 * arrives. Keeps every version on the heap. Confined to one thread. {@link #close} frees the loaded
 * model.
 */
final class ServedModels implements PublishedModels, AutoCloseable {
  /**
   * A version counts as harmful if its accuracy is lower than that of the version in service by at
   * least this number.
   */
  private static final double HARM = 0.05;

  /** Number of events after its publication on which a version is compared. */
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
  private int rightlyOnAll;
  private int rightlyOnNext;
  private int harmful;

  /** Harmful versions that no rollback has undone yet. */
  private final List<Publication> atLarge = new ArrayList<>();

  /** Harmful versions that a rollback has left. */
  private final List<Undone> undone = new ArrayList<>();

  private final List<Sample> all;
  private final double margin;

  /**
   * @param all every event of the stream
   * @param trueLabels class of each event
   * @param margin by how much the accuracy of a version is allowed to be lower without being worse
   */
  ServedModels(TestedModels models, List<Sample> all, int[] trueLabels, double margin) {
    this.models = models;
    this.all = all;
    this.trueLabels = trueLabels;
    this.margin = margin;
    right = new boolean[trueLabels.length];
  }

  /** Records that an event has come. */
  void arrived(Sample sample) {
    open.add(sample);
  }

  /** Predicts the events that have come since the version in service last changed. */
  void finish() {
    TaskModel model = serving;
    if (model != null && !open.isEmpty()) {
      double[][] predictions = model.predict(open);
      for (int i = 0; i < predictions.length; i++) {
        right[predicted + i] = best(predictions[i]) == trueLabels[predicted + i];
      }
    }
    predicted += open.size();
    open.clear();
  }

  private static int best(double[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      best = probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
  }

  /**
   * Returns the share of correct predictions among the events from {@code from} to {@code to},
   * exclusive.
   */
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

  /**
   * Returns the number of rollbacks from a version that is worse by more than the margin on the
   * whole stream.
   */
  int rightlyOnAll() {
    return rightlyOnAll;
  }

  /**
   * Returns the number of rollbacks from a version that is worse by more than the margin on the
   * next events.
   */
  int rightlyOnNext() {
    return rightlyOnNext;
  }

  /**
   * A publication.
   *
   * @param version number of the published version
   * @param event number of events that had come before
   */
  private record Publication(int version, int event) {}

  /**
   * A harmful version that a rollback has left.
   *
   * @param updates number of versions that were published between the harmful version and the
   *     rollback
   * @param events number of events that came between the publication and the rollback
   */
  record Undone(int updates, int events) {}

  /**
   * Returns the harmful versions that a rollback has undone, while they or newer versions served.
   */
  List<Undone> undone() {
    return List.copyOf(undone);
  }

  /**
   * Returns the number of publications that made serving worse by five percentage points or more.
   * The accuracy of the new version is compared with the accuracy of the replaced version, on the
   * next thousand events with their true labels.
   */
  int harmful() {
    return harmful;
  }

  /**
   * Returns by how much a version is less accurate than another version on some events; 0 if there
   * are no events.
   */
  private double worseBy(ModelArtifact version, ModelArtifact than, int from, int to) {
    if (from == to) {
      return 0;
    }
    try (TaskModel one = models.load(version);
        TaskModel other = models.load(than)) {
      return accuracy(other, from, to) - accuracy(one, from, to);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** Returns the number of events that have come. */
  private int come() {
    return predicted + open.size();
  }

  /**
   * Returns the end of the events on which a version is compared that is published now, exclusive.
   */
  private int nextEnd() {
    return Math.min(all.size(), come() + LOOK_AHEAD);
  }

  /** Returns the accuracy of a model on some events; NaN if there are no events. */
  private double accuracy(TaskModel model, int from, int to) {
    double[][] predictions = model.predict(all.subList(from, to));
    int count = 0;
    for (int i = 0; i < predictions.length; i++) {
      count += best(predictions[i]) == trueLabels[from + i] ? 1 : 0;
    }
    return count / (double) predictions.length;
  }

  /** Returns whether a version is much worse than the version in service on the next events. */
  private boolean harms(ModelArtifact artifact, TaskModel before) throws IOException {
    int from = come();
    int to = nextEnd();
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
      if (before != null && harms(artifact, before)) {
        harmful++;
        atLarge.add(new Publication(versions.size(), come()));
      }
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
  public void rollBack(long version, String digest, long left, String reason) {
    rollbacks++;
    ModelArtifact back = versions.get((int) version - 1);
    ModelArtifact worse = versions.get((int) left - 1);
    rightlyOnAll += worseBy(worse, back, 0, all.size()) > margin ? 1 : 0;
    rightlyOnNext += worseBy(worse, back, come(), nextEnd()) > margin ? 1 : 0;
    for (Publication bad : List.copyOf(atLarge)) {
      if (bad.version() > version) {
        undone.add(new Undone(versions.size() - bad.version(), come() - bad.event()));
        atLarge.remove(bad);
      }
    }
    serve(back);
  }

  @Override
  public void forget(long before) {}

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
