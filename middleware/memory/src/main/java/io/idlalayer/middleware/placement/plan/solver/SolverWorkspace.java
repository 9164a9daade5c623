package io.idlalayer.middleware.placement.plan.solver;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary folder of one solver process, for its request, its answer and what it unpacks. It is
 * locked while it is used, and deleted at the end. A folder that a killed process has left is
 * deleted when another process creates such a folder.
 */
final class SolverWorkspace implements AutoCloseable {
  private static final String PREFIX = "idla-solver-";
  private static final String LOCK = "lock";

  /** A younger folder may not be locked yet. */
  private static final Duration YOUNG = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(SolverWorkspace.class);

  private final Path folder;
  private final FileChannel lock;

  private SolverWorkspace(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Creates a folder that its owner alone may enter, and deletes abandoned ones.
   *
   * @param parent folder in which it is created
   */
  static SolverWorkspace create(Path parent) throws IOException {
    Path folder = Files.createTempDirectory(parent, PREFIX).toAbsolutePath();
    sweep(parent, folder);
    try {
      FileChannel lock =
          FileChannel.open(
              folder.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      lock.lock();
      return new SolverWorkspace(folder, lock);
    } catch (IOException failed) {
      delete(folder);
      throw failed;
    }
  }

  Path folder() {
    return folder;
  }

  Path request() {
    return folder.resolve("request");
  }

  Path answer() {
    return folder.resolve("answer");
  }

  /** Deletes the folder; what cannot be deleted is left to the next process. */
  @Override
  public void close() {
    try {
      lock.close();
      delete(folder);
    } catch (IOException failed) {
      LOG.warn("{} could not be deleted", folder, failed);
    }
  }

  /** Deletes the folders that no process has locked. */
  private static void sweep(Path parent, Path own) {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path folder : folders) {
        if (abandoned(folder, own)) {
          LOG.info("{} was left by a process that was killed; it is deleted", folder);
          delete(folder);
        }
      }
    } catch (IOException failed) {
      LOG.warn("abandoned folders of solvers in {} could not be deleted: {}", parent, failed);
    }
  }

  private static boolean abandoned(Path folder, Path own) {
    try {
      Instant changed = Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS).toInstant();
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
          || !Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(own))
          || changed.isAfter(Files.getLastModifiedTime(own).toInstant().minus(YOUNG))) {
        return false;
      }
      Path file = folder.resolve(LOCK);
      if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        return true;
      }
      try (FileChannel channel =
              FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
          FileLock free = channel.tryLock()) {
        return free != null;
      }
    } catch (IOException | OverlappingFileLockException used) {
      LOG.debug("{} is in use", folder, used);
      return false;
    }
  }

  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
