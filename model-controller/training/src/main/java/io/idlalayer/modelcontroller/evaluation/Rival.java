package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.modelruntime.artifact.ModelArtifact;

/**
 * A second model that scores the samples of the first one, to be compared with it.
 *
 * @param comparison which comparison it is for; comes back with each batch
 * @param model number of the first model; comes back with each batch
 */
public record Rival(ModelArtifact artifact, long comparison, long model) {}
