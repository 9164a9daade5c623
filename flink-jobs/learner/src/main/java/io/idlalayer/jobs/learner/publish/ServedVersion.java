package io.idlalayer.jobs.learner.publish;

import io.idlalayer.modelruntime.artifact.ModelArtifact;

/**
 * A published version with its files.
 *
 * @param digest digest of its manifest
 * @param update number of the update that made it
 */
public record ServedVersion(long version, String digest, long update, ModelArtifact artifact) {}
