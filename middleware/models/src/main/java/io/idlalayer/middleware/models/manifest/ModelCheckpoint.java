package io.idlalayer.middleware.models.manifest;

/**
 * A published version whose manifest was read.
 *
 * @param location the version's folder, which never changes, or its URL; for messages
 * @param digest SHA-256 of the manifest's bytes, lower-case hexadecimal
 */
public record ModelCheckpoint(String location, ModelManifest manifest, String digest) {
  /** Returns the application partition that published this version. */
  public ApplicationPartition applicationPartition() {
    return new ApplicationPartition(manifest.application(), manifest.partition());
  }

  /** Returns the number of the version, from 1. */
  public long version() {
    return manifest.version();
  }

  /** Returns the place of one of the version's files, for messages. */
  public String file(String name) {
    return location + "/" + name;
  }
}
