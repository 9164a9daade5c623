package io.idlalayer.modelloader.natives;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A folder of a host in which the processes of one user share native libraries. A version is
 * unpacked once, renamed when it is complete, and never written again. The oldest versions are
 * deleted when there are more than {@link #MOST_VERSIONS}. A process that has loaded a deleted
 * version keeps it, because an open file outlives its name.
 *
 * <p>An open folder is locked against other processes; it must be used by one thread of the process
 * at a time.
 */
final class NativeFolder implements AutoCloseable {
  /** Most versions that stay; each of them takes about 430 MB. */
  static final int MOST_VERSIONS = 3;

  private static final String LOCK = "lock";
  private static final String CONTENTS = "contents";
  private static final String UNFINISHED = "load-";
  private static final Pattern VERSION = Pattern.compile("[a-z0-9_-]+-[0-9a-f]{16}");
  private static final String JNI = "libjni";

  private final Path path;
  private final InstantSource clock;
  private final FileChannel lock;

  private NativeFolder(Path path, InstantSource clock, FileChannel lock) {
    this.path = path;
    this.clock = clock;
    this.lock = lock;
  }

  /**
   * Opens the folder, creates it if it is absent, and waits until no other process has it open.
   *
   * @throws IOException if the folder cannot be used, or if another user is allowed to write into
   *     it: this process runs the files of the folder as code
   */
  static NativeFolder open(Path folder, InstantSource clock) throws IOException {
    Files.createDirectories(
        folder.toAbsolutePath(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path path = folder.toRealPath();
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
    if (permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw refused(path, "others may write into it");
    }
    FileChannel channel =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      channel.lock();
      NativeFolder opened = new NativeFolder(path, clock, channel);
      opened.checkOwner();
      opened.sweep();
      return opened;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  private static IOException refused(Path folder, String reason) {
    return new IOException(
        "native libraries are not loaded from %s: %s. Delete it, or name another folder"
                .formatted(folder, reason)
            + " with -D%s=FOLDER".formatted(NativeLibraries.FOLDER));
  }

  /** Checks the owner: a folder that this process created belongs to the user of the process. */
  private void checkOwner() throws IOException {
    Path own = unfinished();
    try {
      if (!Files.getOwner(own).equals(Files.getOwner(path))) {
        throw refused(path, "it belongs to " + Files.getOwner(path));
      }
    } finally {
      delete(own);
    }
  }

  private Path unfinished() throws IOException {
    return Files.createTempDirectory(path, UNFINISHED);
  }

  /**
   * Returns a new folder with the libraries for one class loader, which the caller deletes when
   * they are loaded. Java refuses a file that another class loader has loaded. So each class loader
   * gets files of its own. Libraries with JNI functions, which store references to classes, are
   * copied. Other libraries only get a further name (a link), so that they are in memory once.
   */
  Path forOneClassLoader(NativeBundle bundle) throws IOException {
    Path version = version(bundle);
    Path own = unfinished();
    try {
      for (Path library : libraries(version)) {
        String name = library.getFileName().toString();
        if (name.startsWith(JNI)) {
          Files.copy(library, own.resolve(name));
        } else {
          link(own.resolve(name), library);
        }
      }
      for (NativeBundle.Alias alias : bundle.aliases()) {
        link(own.resolve(alias.name()), version.resolve(alias.library()));
      }
      return own;
    } catch (IOException | RuntimeException failed) {
      delete(own);
      throw failed;
    }
  }

  /** Links a library; copies it on a file system without links, which costs memory per loader. */
  private static void link(Path name, Path library) throws IOException {
    try {
      Files.createLink(name, library);
    } catch (UnsupportedOperationException | FileSystemException refused) {
      Files.copy(library, name);
    }
  }

  private Path version(NativeBundle bundle) throws IOException {
    Path version = path.resolve(bundle.identity());
    if (!isWhole(version)) {
      if (Files.exists(version)) {
        delete(version);
      }
      Path whole = unfinished();
      try {
        bundle.unpack(whole);
        writeContents(whole);
        Files.move(whole, version, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException | RuntimeException failed) {
        delete(whole);
        throw failed;
      }
    }
    Files.setLastModifiedTime(version, FileTime.from(clock.instant()));
    deleteOldest(version);
    return version;
  }

  private static List<Path> libraries(Path version) throws IOException {
    return children(version).stream().filter(file -> !file.endsWith(CONTENTS)).toList();
  }

  /** Writes a list of names and sizes, because some systems delete old temporary files. */
  private static void writeContents(Path version) throws IOException {
    Files.write(version.resolve(CONTENTS), contents(version));
  }

  private static boolean isWhole(Path version) throws IOException {
    Path noted = version.resolve(CONTENTS);
    return Files.exists(noted) && Files.readAllLines(noted).equals(contents(version));
  }

  private static List<String> contents(Path version) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path library : libraries(version)) {
      lines.add(Files.size(library) + " " + library.getFileName());
    }
    lines.sort(Comparator.naturalOrder());
    return lines;
  }

  /** Deletes the files that a killed process left. */
  private void sweep() throws IOException {
    for (Path child : children(path)) {
      if (child.getFileName().toString().startsWith(UNFINISHED)) {
        delete(child);
      }
    }
  }

  private void deleteOldest(Path used) throws IOException {
    List<Path> versions =
        children(path).stream()
            .filter(child -> VERSION.matcher(child.getFileName().toString()).matches())
            .filter(child -> !child.equals(used))
            .sorted(Comparator.comparing(NativeFolder::lastUse).reversed())
            .toList();
    for (Path version :
        versions.subList(Math.min(MOST_VERSIONS - 1, versions.size()), versions.size())) {
      delete(version);
    }
  }

  private static FileTime lastUse(Path version) {
    try {
      return Files.getLastModifiedTime(version);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static List<Path> children(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  /** Deletes a folder of files. */
  static void delete(Path folder) throws IOException {
    for (Path file : children(folder)) {
      Files.delete(file);
    }
    Files.delete(folder);
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
