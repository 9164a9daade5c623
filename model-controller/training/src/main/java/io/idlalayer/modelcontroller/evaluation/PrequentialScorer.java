package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Scores new samples with the model in service, before they are trained. Batches and models keep
 * their order: a batch is scored by the model that was the last to be put in service before the
 * batch was offered. One thread calls its methods. {@link Scorer} scores on a thread of its own;
 * runs in virtual time use an implementation that scores at once.
 */
public interface PrequentialScorer extends AutoCloseable {

  /**
   * Sets the model in service, which scores the batches that are offered from now on.
   *
   * @param rival the second model; null if there is none
   */
  void serve(ModelArtifact artifact, @Nullable Rival rival);

  /**
   * Returns whether {@link #offer} would accept a batch now. Callers check this before they prepare
   * a batch.
   */
  boolean takesMore();

  /**
   * Accepts a batch to be scored later.
   *
   * @return false if the batch is not scored, because the scorer has too many waiting batches, is
   *     closed, or has given up
   */
  boolean offer(ScoringBatch batch);

  /**
   * Returns the result of the oldest scored batch that was not yet returned; empty if there is
   * none.
   */
  Optional<ScoredBatch> poll();

  /** Returns the number of batches that were offered and whose results were not yet polled. */
  int inFlight();

  /**
   * Waits until the results of all offered batches can be polled, but not longer than the given
   * time. A scorer without a thread of its own has nothing to wait for.
   *
   * @param most longest time to wait
   */
  default void await(Duration most) throws InterruptedException {}

  /** Frees the model and drops the batches that are not scored yet. */
  @Override
  void close();
}
