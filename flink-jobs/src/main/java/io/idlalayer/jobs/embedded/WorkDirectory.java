package io.idlalayer.jobs.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder a run keeps everything in, held by one process at a time. What a killed process left
 * is picked up or swept.
 */
public final class WorkDirectory implements AutoCloseable {
  private static final long LEAST_FREE_BYTES = 256L << 20;
  private static final int PROBE_BYTES = 1 << 16;

  private final Path path;
  private final FileChannel lockFile;

  private WorkDirectory(Path path, FileChannel lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  /**
   * Creates or opens a work directory and holds it until {@link #close()}.
   *
   * @throws IOException saying what is wrong with it: not writable, full, or held by a process
   */
  public static WorkDirectory open(Path directory) throws IOException {
    Path path = directory.toAbsolutePath().normalize();
    try {
      Files.createDirectories(path);
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
    return new WorkDirectory(path, lock(path.resolve("lock")));
  }

  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException sameProcess) {
      lock = null;
    }
    if (lock == null) {
      channel.close();
      throw new IOException(
          "%s is in use by process %s; stop it or choose another with --work-dir"
              .formatted(file.getParent(), Files.readString(file).trim()));
    }
    channel.truncate(0);
    channel.write(
        java.nio.ByteBuffer.wrap(
            Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)));
    return channel;
  }

  public Path path() {
    return path;
  }

  /** The newest complete checkpoint or savepoint, to start from. */
  public Optional<Path> newestCheckpoint() throws IOException {
    return newestCheckpoint(path);
  }

  /** The newest complete checkpoint or savepoint under a work directory. */
  public static Optional<Path> newestCheckpoint(Path work) throws IOException {
    List<Path> complete = new ArrayList<>();
    for (String root : List.of("checkpoints", "savepoints")) {
      Path folder = work.resolve(root);
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.find(folder, 4, (file, attributes) -> isMetadata(file))) {
          files.forEach(complete::add);
        }
      }
    }
    return complete.stream()
        .max(Comparator.comparingLong(WorkDirectory::modifiedMillis))
        .map(Path::getParent);
  }

  private static boolean isMetadata(Path file) {
    return file.endsWith("_metadata");
  }

  private static long modifiedMillis(Path file) {
    try {
      return Files.getLastModifiedTime(file).toMillis();
    } catch (IOException gone) {
      return Long.MIN_VALUE;
    }
  }

  /** Deletes every checkpoint and savepoint but the one a clean stop has just made. */
  public void keepOnly(Path savepoint) throws IOException {
    Path kept = savepoint.toAbsolutePath().normalize();
    for (String root : List.of("checkpoints", "savepoints")) {
      for (Path entry : children(path.resolve(root))) {
        if (!kept.startsWith(entry)) {
          delete(entry);
        }
      }
    }
  }

  /** Deletes RocksDB's working folders that a killed process left. */
  public static void sweep(Path localDirectory) throws IOException {
    for (Path entry : children(localDirectory)) {
      Path name = entry.getFileName();
      if (name != null && name.toString().startsWith("job_")) {
        delete(entry);
      }
    }
  }

  private static List<Path> children(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  /** Deletes a tree in which Flink may still be deleting too. */
  private static void delete(Path entry) throws IOException {
    Files.walkFileTree(
        entry,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
            if (failed instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failed;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failed)
              throws IOException {
            if (failed != null && !(failed instanceof NoSuchFileException)) {
              throw failed;
            }
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
