package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.modelruntime.artifact.ModelArtifact;

/**
 * A second model that scores the samples of the first one, to be compared with it.
 *
 * @param comparison number of the comparison; each scored batch contains it
 * @param model number of the first model; each scored batch contains it
 */
public record Rival(ModelArtifact artifact, long comparison, long model) {}
