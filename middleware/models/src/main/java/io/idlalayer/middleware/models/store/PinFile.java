package io.idlalayer.middleware.models.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Writes the pin of an application partition. Any process may set it or take it away; the last one
 * wins.
 */
final class PinFile {
  private final Path folder;
  private final Path file;
  private final FileOperations files;

  PinFile(Path folder, FileOperations files) {
    this.folder = folder;
    this.files = files;
    file = folder.resolve(StoreLayout.PIN);
  }

  void write(Pin pin) throws IOException {
    Path staged = folder.resolve(StoreLayout.PIN + "-" + UUID.randomUUID());
    try {
      files.write(staged, ManifestCodec.encode(pin));
      files.move(staged, file);
      files.syncFolder(folder);
    } catch (IOException failed) {
      try {
        files.delete(staged);
      } catch (IOException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
      throw failed;
    }
  }

  /** Takes the pin away, a damaged one too. */
  void delete() throws IOException {
    files.delete(file);
    files.syncFolder(folder);
  }
}
