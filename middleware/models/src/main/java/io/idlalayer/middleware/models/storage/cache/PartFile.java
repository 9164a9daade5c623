package io.idlalayer.middleware.models.storage.cache;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy that is being written. The process that writes it has it locked; the system releases the
 * lock when the process dies, and the next process takes the file over. One thread writes, any
 * thread reads.
 */
final class PartFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);

  /**
   * Key of the files of this process among the system properties, which all class loaders see. They
   * must not be opened a second time: POSIX drops all locks of a process on a file when any of its
   * descriptors is closed. Setting its times opens and closes a file, too.
   *
   * <p>A static field would be one for each class loader: Flink loads the classes of a job anew,
   * and an application server those of each application. Types of the platform are the only ones
   * that all of them share, and the system properties its only public map for any object.
   */
  private static final String HELD_BY_PROCESS = "io.idlalayer.version-cache.parts";

  private final CacheFolder folder;
  private final CopyName name;
  private final Path path;
  private final Object key;
  private final FileChannel channel;
  private final CacheOperations operations;
  private boolean published;

  private PartFile(
      CacheFolder folder,
      CopyName name,
      Object key,
      FileChannel channel,
      CacheOperations operations) {
    this.folder = folder;
    this.name = name;
    this.path = folder.part(name);
    this.key = key;
    this.channel = channel;
    this.operations = operations;
  }

  @SuppressWarnings("unchecked")
  private static Set<String> heldByProcess() {
    return (Set<String>)
        System.getProperties()
            .computeIfAbsent(HELD_BY_PROCESS, key -> ConcurrentHashMap.<String>newKeySet());
  }

  /**
   * Takes the file of a copy, which may be left by a process that died, and empties it.
   *
   * @return null if a living process has it, or another one is taking or deleting it right now
   * @throws IOException if it cannot be made, or another user could write it
   */
  static @Nullable PartFile take(CacheFolder folder, CopyName name, CacheOperations operations)
      throws IOException {
    String path = folder.part(name).toString();
    if (!heldByProcess().add(path)) {
      return null;
    }
    PartFile taken = null;
    try {
      taken = open(folder, name, operations);
      return taken;
    } finally {
      if (taken == null) {
        heldByProcess().remove(path);
      }
    }
  }

  private static @Nullable PartFile open(
      CacheFolder folder, CopyName name, CacheOperations operations) throws IOException {
    Path path = folder.part(name);
    boolean created = false;
    try {
      Files.createFile(path, CacheFolder.FILE);
      created = true;
    } catch (FileAlreadyExistsException there) {
      LOG.debug("{} is there already", path, there);
    }
    // Read before the file is opened: the file of this key is then the one that is open and locked,
    // or the key is another one afterwards.
    Object before = CacheFolder.key(path);
    FileChannel channel = before == null ? null : opened(folder, path);
    if (before == null || channel == null) {
      return null;
    }
    PartFile taken = null;
    try {
      FileLock lock = operations.tryLock(channel);
      // A process that deletes files of dead processes may have had the lock.
      if (lock != null && before.equals(CacheFolder.key(path))) {
        channel.truncate(0);
        taken = new PartFile(folder, name, before, channel, operations);
      }
      return taken;
    } catch (OverlappingFileLockException heldHere) {
      return null;
    } catch (ClosedChannelException interrupted) {
      throw interrupted;
    } catch (IOException failed) {
      // Where files cannot be locked, no process would find it abandoned.
      if (created) {
        deleteUnlocked(folder, path, before, operations, failed);
      }
      throw failed;
    } finally {
      if (taken == null) {
        channel.close();
      }
    }
  }

  private static void deleteUnlocked(
      CacheFolder folder, Path path, Object key, CacheOperations operations, IOException failure) {
    try {
      folder.deleteIfSame(path, key, operations);
    } catch (IOException stays) {
      failure.addSuppressed(stays);
    }
  }

  private static @Nullable FileChannel opened(CacheFolder folder, Path path) throws IOException {
    try {
      folder.requireFile(path);
      return FileChannel.open(
          path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException deleted) {
      LOG.debug("{} was deleted by another process", path, deleted);
      return null;
    }
  }

  void write(ByteBuffer content, long position) throws IOException {
    operations.write(channel, content, position);
  }

  /**
   * Reads bytes that were written.
   *
   * @throws EOFException if the file has become shorter
   */
  void read(ByteBuffer into, long position) throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int count = channel.read(into, at);
      if (count < 0) {
        throw new EOFException(path + " has become shorter");
      }
      at += count;
    }
  }

  /**
   * Gives the complete copy its name, under which all processes find it.
   *
   * @param now when it was used last
   */
  void publish(Instant now) throws IOException {
    Path copy = folder.copy(name);
    operations.move(path, copy);
    published = true;
    heldByProcess().remove(path.toString());
    // This opens and closes the file, and so ends its lock: not before it has its new name.
    Files.setLastModifiedTime(copy, FileTime.from(now));
  }

  /** Deletes the file, unless it was published, and releases its lock. */
  @Override
  public void close() throws IOException {
    if (published) {
      channel.close();
      return;
    }
    try (FileChannel closing = channel) {
      // A channel that an interrupt has closed has lost the lock: another process may have the
      // file.
      if (closing.isOpen()) {
        folder.deleteIfSame(path, key, operations);
      }
    } finally {
      heldByProcess().remove(path.toString());
    }
  }
}
