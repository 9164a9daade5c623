package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.ScoredBatch;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.evaluation.ScoringBatch;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import io.idlalayer.modelloader.serve.TaskModel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Scores each batch at once on the caller's thread: for runs in virtual time, in which the same
 * input must give the same results. Confined to one thread.
 */
final class InlineScorer implements PrequentialScorer {
  private final Scorer.ModelFactory models;
  private final Deque<ScoredBatch> scored = new ArrayDeque<>();
  private @Nullable TaskModel model;

  InlineScorer(Scorer.ModelFactory models) {
    this.models = models;
  }

  /**
   * @throws IllegalStateException if the model does not load
   */
  @Override
  public void serve(ModelArtifact artifact) {
    free();
    try {
      model = models.load(artifact);
    } catch (Exception unreadable) {
      throw new IllegalStateException("the model to score with does not load", unreadable);
    }
  }

  @Override
  public boolean takesMore() {
    return model != null;
  }

  @Override
  public boolean offer(ScoringBatch batch) {
    TaskModel serves = model;
    if (serves == null) {
      return false;
    }
    List<Sample> samples = batch.samples();
    float[][] predictions = serves.predict(samples, batch.vectors());
    float[] losses = serves.losses(samples, predictions);
    scored.add(ScoredBatch.of(serves, batch, predictions, losses));
    return true;
  }

  @Override
  public Optional<ScoredBatch> poll() {
    return Optional.ofNullable(scored.poll());
  }

  @Override
  public int inFlight() {
    return scored.size();
  }

  @Override
  public void close() {
    free();
    scored.clear();
  }

  private void free() {
    TaskModel old = model;
    model = null;
    if (old != null) {
      old.close();
    }
  }
}
