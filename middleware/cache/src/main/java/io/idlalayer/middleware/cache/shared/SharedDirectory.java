package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.cache.shared.FileLayout.Identity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory with the shared cache files of this user on this host. Every process reads all
 * files, but takes over only files of its own cluster. A process holds the lock of its own file
 * while it lives, so that files of dead processes can be recognised. Readers take no locks.
 */
final class SharedDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(SharedDirectory.class);

  /** Largest number of files of one cluster. */
  static final int SLOTS = 16;

  /** Largest number of files that are examined. */
  static final int FILES_MAX = 256;

  private static final String SUFFIX = ".cache";

  /**
   * Largest number of bytes that are read or written at once, because the thread keeps a direct
   * buffer of this size.
   */
  private static final int PIECE_BYTES = 1 << 16;

  private final Path directory;
  private final Identity identity;
  private final OwnedPaths owned;

  /**
   * Opens the directory of this user, and creates it if it is missing.
   *
   * @param parent the directory of all users, such as {@code /dev/shm}
   * @param identity identity that the processes of a cluster have in common
   * @throws UnusableFileException if another user could write the directory
   */
  SharedDirectory(Path parent, Identity identity) throws IOException {
    this(identity, owned(parent), parent);
    try {
      Files.createDirectory(directory, OwnedPaths.DIRECTORY);
    } catch (FileAlreadyExistsException there) {
      LOG.debug("{} is there already", directory, there);
    }
    owned.requireDirectory(directory);
  }

  private SharedDirectory(Identity identity, OwnedPaths owned, Path parent) throws IOException {
    this.identity = identity;
    this.owned = owned;
    directory = parent.toRealPath().resolve("idla-" + owned.user());
  }

  private static OwnedPaths owned(Path parent) throws IOException {
    OwnedPaths.requireSafeParent(parent);
    return new OwnedPaths(parent);
  }

  /**
   * Returns the directory of this user, for reading; empty if there is none.
   *
   * @param parent the directory of all users, such as {@code /dev/shm}
   * @throws UnusableFileException if another user could write the directory
   */
  static Optional<SharedDirectory> existing(Path parent) throws IOException {
    SharedDirectory there = new SharedDirectory(new Identity(0, 0), owned(parent), parent);
    if (!Files.exists(there.directory, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    there.owned.requireDirectory(there.directory);
    return Optional.of(there);
  }

  Path path() {
    return directory;
  }

  OwnedPaths owned() {
    return owned;
  }

  private String prefix() {
    return "%016x-".formatted(identity.high());
  }

  private Path file(int slot) {
    return directory.resolve(prefix() + slot + SUFFIX);
  }

  /** Returns the number that stands for a file in messages. */
  static int id(Path file) {
    return file.getFileName().toString().hashCode();
  }

  /** Returns the files of all processes; the files of this cluster come first. */
  List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : all) {
        if (files.size() < FILES_MAX) {
          files.add(file);
        }
      }
    } catch (DirectoryIteratorException unreadable) {
      throw unreadable.getCause();
    }
    files.sort(
        Comparator.comparing((Path file) -> !file.getFileName().toString().startsWith(prefix()))
            .thenComparing(Path::getFileName));
    return files;
  }

  /**
   * Takes over the file of a dead process if it has the right layout, and otherwise creates a file.
   *
   * @param nowMillis epoch milliseconds
   * @throws UnusableFileException if all files are in use, or the file system is too small
   */
  CacheFile hold(FileLayout layout, long nowMillis) throws IOException {
    long needed = layout.fileBytes(layout.regions());
    long total = Files.getFileStore(directory).getTotalSpace();
    if (total > 0 && total < needed) {
      throw new UnusableFileException(
          ("%s is on a file system of %,d bytes, but this process may need %,d there"
                  + " (memory.hot-bytes of all learners of the job); give it more memory (in a"
                  + " container: --shm-size, or a larger emptyDir of medium Memory), or lower"
                  + " memory.hot-bytes")
              .formatted(directory, total, needed));
    }
    for (int pass = 0; pass < 2; pass++) {
      for (int slot = 0; slot < SLOTS; slot++) {
        Path file = file(slot);
        // Existing files are tried first, because they possibly have blocks.
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) == (pass == 0)) {
          CacheFile held = hold(file, layout, nowMillis);
          if (held != null) {
            return held;
          }
        }
      }
    }
    throw new UnusableFileException(
        "all %d files in %s are in use by other processes".formatted(SLOTS, directory));
  }

  /** Returns a file, or null if another process owns it or it cannot be used. */
  private @Nullable CacheFile hold(Path file, FileLayout layout, long nowMillis)
      throws IOException {
    OwnerLock lock = null;
    CacheFile held = null;
    try {
      lock = OwnerLock.take(file, owned);
      if (lock != null) {
        held = takeOver(file, lock, layout, nowMillis);
        if (held == null) {
          held = make(file, lock, layout, nowMillis);
        }
      }
    } catch (ForeignFileException foreign) {
      LOG.warn("{} cannot be used: {}", file, foreign.getMessage());
    } finally {
      if (held == null && lock != null) {
        lock.close();
      }
    }
    return held;
  }

  /** Opens a file with the right layout; deletes any other one. */
  private @Nullable CacheFile takeOver(Path file, OwnerLock lock, FileLayout layout, long nowMillis)
      throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    owned.requireFile(file);
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    CacheFile held = null;
    try {
      if (same(channel, layout)) {
        allocate(channel, layout.frontBytes());
        held = new CacheFile(file, channel, lock, layout, nowMillis);
      } else {
        // Neighbours have possibly mapped this file, so it must be replaced, and never overwritten
        // or truncated.
        Files.delete(file);
      }
    } finally {
      if (held == null) {
        channel.close();
      }
    }
    return held;
  }

  private boolean same(FileChannel channel, FileLayout layout) throws IOException {
    try {
      return FileLayout.decode(NeighbourFile.head(channel)).equals(layout)
          && channel.size() >= layout.frontBytes();
    } catch (UnusableFileException other) {
      LOG.info("a shared cache file in {} is replaced: {}", directory, other.getMessage());
      return false;
    }
  }

  private CacheFile make(Path file, OwnerLock lock, FileLayout layout, long nowMillis)
      throws IOException {
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
            OwnedPaths.FILE);
    CacheFile held = null;
    try {
      // Zeros are written first: neighbours recognise the file as a cache file only when its header
      // is complete.
      ByteBuffer zeros = ByteBuffer.allocate(PIECE_BYTES);
      for (int at = 0; at < layout.frontBytes(); at += zeros.limit()) {
        zeros.clear().limit(Math.min(PIECE_BYTES, layout.frontBytes() - at));
        write(channel, zeros, at);
      }
      write(channel, ByteBuffer.wrap(layout.encode()), 0);
      held = new CacheFile(file, channel, lock, layout, nowMillis);
      return held;
    } catch (IOException full) {
      throw new UnusableFileException(
          "%s cannot be made with %,d bytes (%s); give its file system more memory"
              .formatted(file, layout.frontBytes(), full.getMessage()),
          full);
    } finally {
      if (held == null) {
        Files.deleteIfExists(file);
        channel.close();
      }
    }
  }

  /**
   * Overwrites the first bytes of a file with their own content, so that the file system allocates
   * memory for all of them.
   */
  private static void allocate(FileChannel channel, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(PIECE_BYTES);
    for (int at = 0; at < length; at += bytes.limit()) {
      bytes.clear().limit(Math.min(PIECE_BYTES, length - at));
      while (bytes.hasRemaining()) {
        int position = at + bytes.position();
        if (channel.read(bytes, position) < 0) {
          throw new ForeignFileException("it ends after " + position + " bytes");
        }
      }
      write(channel, bytes.flip(), at);
    }
  }

  private static void write(FileChannel channel, ByteBuffer bytes, int at) throws IOException {
    long position = at;
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
  }
}
