package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import org.jspecify.annotations.Nullable;

/**
 * The input of one training: its base model, batch, seed and rows of tables.
 *
 * @param base model from which the training continues; null for a new model
 * @param seed seed of initialization (fresh model), row order and dropout: equal base, batch, seed
 *     and thread count give equal bits
 * @param rows rows of tables that the batch uses; the training does not change them. Null if the
 *     model has no tables
 * @param mixture file of the mixture that becomes part of the model; empty if the network predicts
 *     without a mixture. The training does not use the mixture
 */
public record TrainingRequest(
    @Nullable ModelArtifact base,
    TrainingBatch batch,
    long seed,
    @Nullable RowBatch rows,
    byte[] mixture) {
  /** Creates a request for a network that predicts without a mixture. */
  public TrainingRequest(
      @Nullable ModelArtifact base, TrainingBatch batch, long seed, @Nullable RowBatch rows) {
    this(base, batch, seed, rows, new byte[0]);
  }

  /** Creates a request for a model without tables. */
  public TrainingRequest(@Nullable ModelArtifact base, TrainingBatch batch, long seed) {
    this(base, batch, seed, null);
  }

  /** Returns this request with another base model. */
  TrainingRequest from(ModelArtifact other) {
    return new TrainingRequest(other, batch, seed, rows, mixture);
  }
}
