package io.idlalayer.jobs.recovery;

import io.idlalayer.jobs.settings.FolderNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which a run keeps all of its files. One process at a time holds the lock of the
 * folder. Only the user who owns the folder can read it, unless the folder was shared before
 * ({@link #warning()} tells).
 */
public final class WorkDirectory implements AutoCloseable {
  private static final long LEAST_FREE_BYTES = 256L << 20;
  private static final int PROBE_BYTES = 1 << 16;
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  private final WorkIdentity identity;
  private final FolderLock lock;
  private final @Nullable String warning;

  private WorkDirectory(WorkIdentity identity, FolderLock lock, @Nullable String warning) {
    this.identity = identity;
    this.lock = lock;
    this.warning = warning;
  }

  /**
   * Creates or opens a work directory, and holds its lock until {@link #close()}.
   *
   * @throws IOException with the reason: the name cannot be used, or the folder is not writable,
   *     full, or held by another process
   */
  public static WorkDirectory open(Path directory) throws IOException {
    Path path = directory.toAbsolutePath().normalize();
    String problem = FolderNames.problem(path);
    if (problem != null) {
      throw new IOException(
          "the work directory %s; choose another with --work-dir".formatted(problem));
    }
    String warning;
    try {
      warning = create(path);
      Path probe = path.resolve(".probe");
      Files.write(probe, new byte[PROBE_BYTES]);
      Files.delete(probe);
    } catch (IOException refused) {
      throw new IOException(
          "cannot write to the work directory %s: %s; choose another with --work-dir"
              .formatted(path, refused),
          refused);
    }
    long free = Files.getFileStore(path).getUsableSpace();
    if (free < LEAST_FREE_BYTES) {
      throw new IOException(
          "the work directory %s has %d MiB left, at least %d are needed; make room or choose another with --work-dir"
              .formatted(path, free >> 20, LEAST_FREE_BYTES >> 20));
    }
    Path file = path.resolve("lock");
    FolderLock lock =
        FolderLock.take(file, "process " + ProcessHandle.current().pid())
            .orElseThrow(
                () ->
                    new IOException(
                        "%s is in use by %s; stop it or choose another with --work-dir"
                            .formatted(path, FolderLock.owner(file))));
    try {
      return new WorkDirectory(WorkIdentity.open(path), lock, warning);
    } catch (IOException | RuntimeException unusable) {
      lock.close();
      throw unusable;
    }
  }

  /**
   * Creates a directory that only its owner can access. An existing work directory or empty
   * directory is made private. Any other directory might be shared for a reason, so it is left
   * unchanged. Returns a warning or null.
   */
  private static @Nullable String create(Path path) throws IOException {
    boolean posix =
        Files.getFileStore(existing(path)).supportsFileAttributeView(PosixFileAttributeView.class);
    if (!Files.exists(path)) {
      Path parent = path.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      if (posix) {
        Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PRIVATE));
      } else {
        Files.createDirectory(path);
      }
      return null;
    }
    Files.createDirectories(path);
    if (!posix) {
      return null;
    }
    Set<PosixFilePermission> found = Files.getPosixFilePermissions(path);
    if (PRIVATE.containsAll(found)) {
      return null;
    }
    if (Files.exists(path.resolve(WorkIdentity.MARKER)) || Durable.children(path).isEmpty()) {
      Files.setPosixFilePermissions(path, PRIVATE);
      return "the work directory %s was open to other users (%s); it is private now"
          .formatted(path, PosixFilePermissions.toString(found));
    }
    return "warning: other users may read the work directory %s (%s), and with it samples and models; chmod 700 closes it"
        .formatted(path, PosixFilePermissions.toString(found));
  }

  private static Path existing(Path path) {
    Path found = path;
    while (!Files.exists(found) && found.getParent() != null) {
      found = found.getParent();
    }
    return found;
  }

  public Path path() {
    return identity.directory();
  }

  public WorkIdentity identity() {
    return identity;
  }

  /**
   * Returns a text if other users can access the folder, or were able to before; otherwise null.
   */
  public @Nullable String warning() {
    return warning;
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
