package io.idlalayer.jobs.learner;

import io.idlalayer.modelcontroller.evaluation.LoadedModels;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Rival;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Scores each batch at once on the caller's thread: for runs in virtual time, in which equal inputs
 * must give equal results. Confined to one thread.
 */
final class InlineScorer implements PrequentialScorer {
  private final LoadedModels models;
  private final Deque<ScoredBatch> scored = new ArrayDeque<>();

  InlineScorer(Scorer.ModelFactory models) {
    this.models = new LoadedModels(models);
  }

  /**
   * @throws IllegalStateException if the model does not load
   */
  @Override
  public void serve(ModelArtifact artifact, @Nullable Rival rival) {
    models.serve(artifact, rival);
    String broken = models.broken();
    if (broken != null) {
      throw new IllegalStateException("scoring has no model: " + broken);
    }
  }

  @Override
  public boolean takesMore() {
    return models.broken() == null;
  }

  @Override
  public boolean offer(ScoringBatch batch) {
    if (models.broken() != null) {
      return false;
    }
    scored.add(models.score(batch));
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
    models.close();
    scored.clear();
  }
}
