package io.idlalayer.middleware.cache.shared;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of the process that owns a shared cache file, on a separate lock file. Readers do not
 * open the lock file, because on POSIX all locks of a process on a file end when the process closes
 * the file once.
 */
final class OwnerLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerLock.class);
  private static final String SUFFIX = ".lock";

  /** Key of the locks of this process among the system properties, which all class loaders see. */
  private static final String HELD_BY_PROCESS = "io.idlalayer.shared-cache.locks";

  private final Path file;
  private final FileChannel channel;
  private final FileLock lock;

  private OwnerLock(Path file, FileChannel channel, FileLock lock) {
    this.file = file;
    this.channel = channel;
    this.lock = lock;
  }

  @SuppressWarnings("unchecked")
  private static Set<String> heldByProcess() {
    return (Set<String>)
        System.getProperties()
            .computeIfAbsent(HELD_BY_PROCESS, key -> ConcurrentHashMap.<String>newKeySet());
  }

  private static Path of(Path cacheFile) {
    return cacheFile.resolveSibling(cacheFile.getFileName() + SUFFIX);
  }

  /**
   * Takes the lock of a cache file. The cache file need not exist.
   *
   * @return the lock; null if a living process has it, or if another process is taking or deleting
   *     it right now
   * @throws UnusableFileException if another user could write the lock file
   */
  static @Nullable OwnerLock take(Path cacheFile, OwnedPaths owned) throws IOException {
    Path file = of(cacheFile);
    if (!heldByProcess().add(file.toString())) {
      return null;
    }
    OwnerLock taken = null;
    try {
      taken = open(file, owned);
      return taken;
    } finally {
      if (taken == null) {
        heldByProcess().remove(file.toString());
      }
    }
  }

  private static @Nullable OwnerLock open(Path file, OwnedPaths owned) throws IOException {
    create(file);
    // The key is read before the file is opened. If the file is replaced in between, the key
    // differs afterwards.
    Object before = key(file);
    FileChannel channel = before == null ? null : openExisting(file, owned);
    if (channel == null) {
      return null;
    }
    OwnerLock taken = null;
    try {
      FileLock lock = channel.tryLock();
      // A process that deletes old files possibly had the lock and deleted the file.
      if (lock != null && Objects.equals(before, key(file))) {
        taken = new OwnerLock(file, channel, lock);
      }
    } catch (OverlappingFileLockException heldHere) {
      return null;
    } finally {
      if (taken == null) {
        channel.close();
      }
    }
    return taken;
  }

  /** Creates an empty file if there is none. */
  private static void create(Path file) throws IOException {
    try {
      Files.createFile(file, OwnedPaths.FILE);
    } catch (FileAlreadyExistsException there) {
      LOG.debug("{} is there already", file, there);
    }
  }

  private static @Nullable FileChannel openExisting(Path file, OwnedPaths owned)
      throws IOException {
    try {
      owned.requireFile(file);
      return FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException deleted) {
      LOG.debug("{} was deleted by another process", file, deleted);
      return null;
    }
  }

  /**
   * Returns the key that distinguishes a file from another file with the same path; null if there
   * is no file.
   */
  static @Nullable Object key(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .fileKey();
    } catch (NoSuchFileException absent) {
      return null;
    }
  }

  /** Deletes the lock file. The caller must then call {@link #close}. */
  void delete() throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void close() throws IOException {
    try (FileChannel closing = channel) {
      lock.release();
    } finally {
      heldByProcess().remove(file.toString());
    }
  }
}
