package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Scores new samples with the model in service, before they are trained. Batches and models keep
 * their order: a batch is scored by the last model that was put in service before it was offered.
 * Offered to and polled by one thread. {@link Scorer} has a thread of its own; runs in virtual time
 * need one that scores at once.
 */
public interface PrequentialScorer extends AutoCloseable {

  /**
   * Serves a model, and lets a second model score the same batches.
   *
   * @param rival the second model; null for none
   */
  void serve(ModelArtifact artifact, @Nullable Rival rival);

  /**
   * Returns whether {@link #offer} would take a batch now, so that none is put together in vain.
   */
  boolean takesMore();

  /**
   * Takes a batch.
   *
   * @return false if it is not scored, because the scorer is behind, closed or has given up
   */
  boolean offer(ScoringBatch batch);

  /** Returns the oldest batch that came back and was not polled yet. */
  Optional<ScoredBatch> poll();

  /** Batches offered and not polled yet. */
  int inFlight();

  /** Frees the model. Batches under way are dropped. */
  @Override
  void close();
}
