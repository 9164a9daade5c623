package io.idlalayer.middleware.models.store;

import java.nio.file.Path;

/**
 * A published version whose manifest was read.
 *
 * @param directory the immutable version folder
 * @param digest SHA-256 of the manifest's bytes, lower-case hexadecimal
 */
public record ModelCheckpoint(Path directory, ModelManifest manifest, String digest) {
  /** Path of one of the manifest's files. */
  public Path file(String name) {
    return directory.resolve(name);
  }
}
