package io.idlalayer.jobs.learner;

import io.idlalayer.modelruntime.artifact.ModelArtifact;

/**
 * A published version with its files.
 *
 * @param digest of its manifest
 */
record ServedVersion(long version, String digest, ModelArtifact artifact) {}
