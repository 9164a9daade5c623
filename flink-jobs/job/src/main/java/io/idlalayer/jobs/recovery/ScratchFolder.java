package io.idlalayer.jobs.recovery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A folder for working files that are useless when the process that uses the folder has ended. A
 * marker file says that the product has created the folder, and a lock says that the folder is in
 * use. Opening the folder deletes everything that a killed process left there. Nothing is ever
 * deleted from a folder without the marker.
 */
public final class ScratchFolder implements AutoCloseable {
  /**
   * The marker: a file that names the owner of the folder, and is locked while the folder is in
   * use.
   */
  public static final String MARKER = ".idla-scratch";

  private final Path path;
  private final FolderLock lock;

  private ScratchFolder(Path path, FolderLock lock) {
    this.path = path;
    this.lock = lock;
  }

  /**
   * Creates the folder, or empties a folder that an earlier process has left.
   *
   * @param owner readable text that says who uses the folder
   * @throws IOException if the folder cannot be used, is in use, or has files and no marker
   */
  public static ScratchFolder open(Path folder, String owner) throws IOException {
    Path path = folder.toAbsolutePath().normalize();
    Path marker = path.resolve(MARKER);
    Files.createDirectories(path);
    if (!Files.exists(marker) && !Durable.children(path).isEmpty()) {
      throw new IOException(
          ("%s has files but not the marker %s, so nothing in it is touched: move it "
                  + "away or choose another folder")
              .formatted(path, MARKER));
    }
    FolderLock lock =
        FolderLock.take(marker, owner)
            .orElseThrow(
                () ->
                    new IOException(
                        "%s is in use by %s; wait for its end or choose another folder"
                            .formatted(path, FolderLock.owner(marker))));
    try {
      for (Path entry : Durable.children(path)) {
        if (!entry.endsWith(MARKER)) {
          Durable.delete(entry);
        }
      }
      return new ScratchFolder(path, lock);
    } catch (IOException | RuntimeException failed) {
      lock.close();
      throw failed;
    }
  }

  /**
   * Deletes a folder if it has the marker and is not in use. Returns whether the folder was
   * deleted.
   */
  public static boolean sweep(Path folder) throws IOException {
    Path marker = folder.resolve(MARKER);
    if (!Files.isRegularFile(marker)) {
      return false;
    }
    Optional<FolderLock> lock = FolderLock.take(marker, "a sweep");
    if (lock.isEmpty()) {
      return false;
    }
    try {
      Durable.delete(folder);
      return true;
    } finally {
      lock.get().close();
    }
  }

  public Path path() {
    return path;
  }

  /** Releases the folder for other processes. The files stay until the folder is opened again. */
  @Override
  public void close() throws IOException {
    lock.close();
  }
}
