package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.storage.folder.FileOperations;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The real file system, except for paths that cannot be deleted or moved, and for another process
 * that acts before a move.
 */
final class FakeFileOperations implements FileOperations {
  private final FileOperations real = FileOperations.system();
  Predicate<Path> stuck = path -> false;
  private String awaited = "";
  private Deed deed = () -> {};

  /** An action of another process. */
  interface Deed {
    void run() throws IOException;
  }

  /** Runs an action once, just before a file moves from or to a path that ends with the name. */
  void beforeAMoveOf(String name, Deed then) {
    awaited = name;
    deed = then;
  }

  @Override
  public void createFolder(Path folder) throws IOException {
    real.createFolder(folder);
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    real.write(file, content);
  }

  @Override
  public void write(Map<Path, byte[]> files) throws IOException {
    real.write(files);
  }

  @Override
  public long copy(Path from, Path to, MessageDigest digest) throws IOException {
    return real.copy(from, to, digest);
  }

  @Override
  public void syncFolder(Path folder) throws IOException {
    real.syncFolder(folder);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    refuse(from);
    if (!awaited.isEmpty() && (from.endsWith(awaited) || to.endsWith(awaited))) {
      awaited = "";
      deed.run();
    }
    real.move(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    refuse(file);
    real.delete(file);
  }

  private void refuse(Path path) throws IOException {
    if (stuck.test(path)) {
      throw new IOException("Operation not permitted");
    }
  }
}
