package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelloader.artifact.ModelArtifact;
import org.jspecify.annotations.Nullable;

/**
 * One training to run.
 *
 * @param base model to continue from; null starts a fresh one
 * @param seed seed of initialisation (fresh model), row order and dropout: the same base, batch,
 *     seed and thread count give the same bits
 */
public record TrainingRequest(@Nullable ModelArtifact base, TrainingBatch batch, long seed) {}
