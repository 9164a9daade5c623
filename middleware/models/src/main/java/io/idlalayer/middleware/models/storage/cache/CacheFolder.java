package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.StoreLayout;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder of this user in the folder that the settings name: {@code FOLDER/idla-versions-USER/}.
 * No other user may read or write it. It has files of the names of {@link CopyName}; files of other
 * names are not the cache's, and the cache leaves them alone. Any thread.
 */
final class CacheFolder {
  static final FileAttribute<Set<PosixFilePermission>> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final String PREFIX = "idla-versions-";
  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int WRITABLE_BY_ALL = 0002;
  private static final int STICKY = 01000;

  private final Path path;
  private final int user;

  private CacheFolder(Path path, int user) {
    this.path = path;
    this.user = user;
  }

  /**
   * Opens the folder of this user, and makes it if there is none.
   *
   * @param parent the folder of the settings
   * @throws IOException if it cannot be made or written, or another user could write it
   */
  static CacheFolder open(Path parent) throws IOException {
    Path absolute = parent.toAbsolutePath().normalize();
    if (!absolute.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      throw new IOException(parent + " is on a file system without POSIX permissions");
    }
    if (!Files.isDirectory(absolute)) {
      Files.createDirectories(absolute, DIRECTORY);
    }
    Path real = absolute.toRealPath();
    int mode = number(real, "mode");
    if ((mode & WRITABLE_BY_ALL) != 0 && (mode & STICKY) == 0) {
      throw new IOException(
          parent + " may be written by every user and has no sticky bit; name another folder");
    }
    int user = user(real);
    CacheFolder folder = new CacheFolder(real.resolve(PREFIX + user), user);
    folder.check();
    return folder;
  }

  /** Returns the number of this process's user, which owns what the process makes. */
  private static int user(Path parent) throws IOException {
    Path probe = Files.createTempFile(parent, ".owner-", ".tmp", FILE);
    try {
      return number(probe, "uid");
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  private static int number(Path path, String attribute) throws IOException {
    return (int) Files.getAttribute(path, "unix:" + attribute, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Checks that the folder is this user's own, and makes it if it was deleted.
   *
   * @throws IOException if another user could write it
   */
  void check() throws IOException {
    if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      try {
        Files.createDirectory(path, DIRECTORY);
      } catch (FileAlreadyExistsException there) {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          throw new IOException(path + " is not a folder", there);
        }
      }
    }
    requireOwned(path);
  }

  /**
   * Checks that a file is a regular one, no link, which only this user may write.
   *
   * @throws IOException if it is none
   */
  void requireFile(Path file) throws IOException {
    BasicFileAttributes found =
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!found.isRegularFile()) {
      throw new IOException(file + " is not a regular file");
    }
    requireOwned(file);
  }

  private void requireOwned(Path file) throws IOException {
    int owner = number(file, "uid");
    if (owner != user) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s belongs to user %d, and this process runs as user %d",
              file,
              owner,
              user));
    }
    if ((number(file, "mode") & WRITABLE_BY_OTHERS) != 0) {
      throw new IOException(file + " may be written by other users");
    }
  }

  Path path() {
    return path;
  }

  Path copy(CopyName name) {
    return path.resolve(name.copy());
  }

  Path part(CopyName name) {
    return path.resolve(name.part());
  }

  /** Returns what tells a file from another one with its path; null if there is no file. */
  static @Nullable Object key(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .fileKey();
    } catch (NoSuchFileException absent) {
      return null;
    }
  }

  /** Returns the length of the unfinished copy in bytes; 0 if there is none. */
  long partBytes(CopyName name) throws IOException {
    try {
      return Files.size(part(name));
    } catch (NoSuchFileException none) {
      return 0;
    }
  }

  /**
   * Deletes a file if it is still the one with this key, and not one that has replaced it.
   *
   * @param key see {@link #key}
   */
  void deleteIfSame(Path file, Object key, CacheOperations operations) throws IOException {
    if (Objects.equals(key, key(file))) {
      operations.delete(file);
    }
  }

  /**
   * A file of the cache.
   *
   * @param part whether it is still being written
   * @param lastUsedMillis epoch milliseconds
   */
  record Entry(CopyName name, Path path, boolean part, long bytes, long lastUsedMillis) {}

  /** Returns the files of the cache, in any order. */
  List<Entry> entries() throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
      for (Path file : files) {
        Optional<CopyName.Parsed> parsed = CopyName.parsed(StoreLayout.fileName(file));
        if (parsed.isPresent()) {
          entry(file, parsed.get()).ifPresent(entries::add);
        }
      }
    } catch (DirectoryIteratorException failed) {
      throw failed.getCause();
    }
    return entries;
  }

  /** Returns a file of the cache; empty if it was deleted meanwhile or is no regular file. */
  private static Optional<Entry> entry(Path file, CopyName.Parsed parsed) throws IOException {
    try {
      BasicFileAttributes found =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return found.isRegularFile()
          ? Optional.of(
              new Entry(
                  parsed.name(),
                  file,
                  parsed.part(),
                  found.size(),
                  found.lastModifiedTime().toMillis()))
          : Optional.empty();
    } catch (NoSuchFileException deleted) {
      return Optional.empty();
    }
  }
}
