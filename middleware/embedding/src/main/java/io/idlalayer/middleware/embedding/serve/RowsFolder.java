package io.idlalayer.middleware.embedding.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A local folder for memory-mapped files with the embedding rows of served versions. Several
 * processes can share one folder. Each file belongs to the process that made it and is locked by
 * it. The system releases the lock when the process dies, and the next process that opens the
 * folder deletes the file. Files of other programs stay. Safe for many threads.
 */
public final class RowsFolder {
  private static final Logger LOG = LoggerFactory.getLogger(RowsFolder.class);
  private static final String PREFIX = "idla-rows-";
  private static final String SUFFIX = ".map";
  private static final int ATTEMPTS = 5;

  /**
   * Files that this process has open, guarded by this class. They must not be opened a second time:
   * POSIX drops all locks of a process on a file when any of its descriptors is closed.
   */
  private static final Set<Path> HELD = new HashSet<>();

  private final Path folder;

  private RowsFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * Opens a folder, creates it if it does not exist, and deletes the files of processes that have
   * ended.
   *
   * @param folder on a local disk: a file system over the network may fail while its files are
   *     mapped, and then predictions fail
   * @throws IOException if the folder cannot be made or read
   */
  public static RowsFolder open(Path folder) throws IOException {
    Path real = Files.createDirectories(folder.toAbsolutePath().normalize()).toRealPath();
    sweep(real);
    return new RowsFolder(real);
  }

  public Path path() {
    return folder;
  }

  /**
   * Creates an empty file, which is open and locked. The caller deletes it with {@link #delete}.
   *
   * @throws RowsFolderException if it cannot be made
   */
  Held create() throws RowsFolderException {
    IOException swept = new IOException("files disappear as soon as they are created");
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        Held held = tryCreate();
        if (held != null) {
          return held;
        }
      }
    } catch (IOException failed) {
      swept = failed;
    }
    throw new RowsFolderException(
        "no file for rows can be made in %s; check the folder or name another: %s"
            .formatted(folder, swept),
        swept);
  }

  /**
   * A file of this process, with the channel that holds its lock.
   *
   * @param channel releases the lock when it is closed
   */
  record Held(Path file, FileChannel channel) {}

  /**
   * Tries to create a file; returns null if another process took it for one left by a process that
   * has ended.
   */
  private @Nullable Held tryCreate() throws IOException {
    synchronized (RowsFolder.class) {
      Path file = Files.createTempFile(folder, PREFIX, SUFFIX);
      FileChannel channel = null;
      boolean done = false;
      try {
        channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        // Another process that opens the folder may have found it before it was locked.
        if (channel.tryLock() != null && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
          Held held = new Held(file, channel);
          HELD.add(file);
          done = true;
          return held;
        }
        return null;
      } catch (NoSuchFileException | OverlappingFileLockException swept) {
        return null;
      } finally {
        if (!done) {
          if (channel != null) {
            channel.close();
          }
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** Deletes a file of this process and releases its lock. */
  static void delete(Held held) throws IOException {
    synchronized (RowsFolder.class) {
      try {
        Files.deleteIfExists(held.file());
      } finally {
        HELD.remove(held.file());
        held.channel().close();
      }
    }
  }

  private static void sweep(Path folder) throws IOException {
    synchronized (RowsFolder.class) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
        for (Path file : files) {
          if (!HELD.contains(file) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            sweepFile(file);
          }
        }
      } catch (DirectoryIteratorException failed) {
        throw failed.getCause();
      }
    }
  }

  /** Deletes a file left by a process that has ended. One that cannot be deleted does no harm. */
  private static void sweepFile(Path file) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.tryLock() != null && ofThisProgram(channel)) {
        Files.deleteIfExists(file);
        LOG.info("deleted {}, left by a process that has ended", file);
      }
    } catch (OverlappingFileLockException inUse) {
      // This process may use it with another copy of this class, in another class loader.
      LOG.debug("{} is in use", file);
    } catch (IOException stays) {
      LOG.warn(
          "{}, left by a process that has ended, cannot be deleted: {}", file, stays.toString());
    }
  }

  /**
   * Returns whether a file was made by this program. An empty file counts as such a file, because
   * another process may just have made it.
   */
  private static boolean ofThisProgram(FileChannel channel) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(Long.BYTES).order(MappedRows.ORDER);
    int read = channel.read(head, 0);
    return read <= 0 || (read == Long.BYTES && head.getLong(0) == MappedRows.MAGIC);
  }
}
