package io.idlalayer.middleware.models.storage.folder;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A small file beside the versions, which is always replaced as a whole. Any process may replace
 * it; the last process wins.
 */
final class ReplacedFile {
  private final Path folder;
  private final String name;
  private final FileOperations files;

  ReplacedFile(Path folder, String name, FileOperations files) {
    this.folder = folder;
    this.name = name;
    this.files = files;
  }

  void write(byte[] content) throws IOException {
    Path staged = folder.resolve(name + "-" + UUID.randomUUID());
    try {
      files.write(staged, content);
      files.move(staged, folder.resolve(name));
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

  /** Deletes the file, even if it is damaged. */
  void delete() throws IOException {
    files.delete(folder.resolve(name));
    files.syncFolder(folder);
  }
}
