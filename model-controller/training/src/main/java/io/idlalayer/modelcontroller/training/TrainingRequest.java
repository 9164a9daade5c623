package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.embedding.RowBatch;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import org.jspecify.annotations.Nullable;

/**
 * One training to run.
 *
 * @param base model to continue from; null starts a fresh one
 * @param seed seed of initialisation (fresh model), row order and dropout: the same base, batch,
 *     seed and thread count give the same bits
 * @param rows of tables that the batch uses, which are not changed; null if the model has no tables
 */
public record TrainingRequest(
    @Nullable ModelArtifact base, TrainingBatch batch, long seed, @Nullable RowBatch rows) {
  /** For a model without tables. */
  public TrainingRequest(@Nullable ModelArtifact base, TrainingBatch batch, long seed) {
    this(base, batch, seed, null);
  }
}
