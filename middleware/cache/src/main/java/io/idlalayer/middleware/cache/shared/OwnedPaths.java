package io.idlalayer.middleware.cache.shared;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Checks that files and directories belong to the user of this process and that no other user is
 * allowed to write them.
 */
final class OwnedPaths {
  static final FileAttribute<Set<PosixFilePermission>> DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  static final FileAttribute<Set<PosixFilePermission>> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int WRITABLE_BY_ALL = 0002;
  private static final int STICKY = 01000;

  private final int user;

  /**
   * @param directory a directory in which this process is allowed to create files
   */
  OwnedPaths(Path directory) throws IOException {
    Path probe = Files.createTempFile(directory, ".owner-", ".tmp", FILE);
    try {
      user = number(probe, "uid");
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  /** Returns the number of the user. */
  int user() {
    return user;
  }

  private static int number(Path path, String attribute) throws IOException {
    return (int) Files.getAttribute(path, "unix:" + attribute, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Checks that other users cannot replace files of this user in a directory.
   *
   * @throws UnusableFileException if they can
   */
  static void requireSafeParent(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new UnusableFileException(directory + " is not a directory");
    }
    Path real = directory.toRealPath();
    if (!real.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      throw new UnusableFileException(directory + " is on a file system without POSIX permissions");
    }
    int mode = number(real, "mode");
    if ((mode & WRITABLE_BY_ALL) != 0 && (mode & STICKY) == 0) {
      throw new UnusableFileException(
          directory
              + " may be written by every user and has no sticky bit; name another directory");
    }
  }

  /**
   * Checks that a path is a directory, not a link, and that only this user is allowed to write it.
   *
   * @throws UnusableFileException if the check fails
   */
  void requireDirectory(Path directory) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new UnusableFileException(directory + " is not a directory");
    }
    requireOwned(directory);
  }

  /**
   * Checks that a path is a file, not a link, and that only this user is allowed to write it.
   *
   * @throws ForeignFileException if the check fails
   */
  void requireFile(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new ForeignFileException("it is not a regular file");
    }
    requireOwned(file);
  }

  private void requireOwned(Path path) throws IOException {
    int owner = number(path, "uid");
    int mode = number(path, "mode");
    if (owner != user) {
      throw new ForeignFileException(
          "%s belongs to user %d, this process runs as user %d".formatted(path, owner, user));
    }
    if ((mode & WRITABLE_BY_OTHERS) != 0) {
      throw new ForeignFileException(path + " may be written by other users");
    }
  }
}
