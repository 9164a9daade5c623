package io.idlalayer.middleware.sample.file;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells files from pipes, sockets and devices, which a program must not open by mistake: it would
 * wait for a writer, or read without an end.
 */
public final class RegularFile {
  private static final Path STANDARD_INPUT = Path.of("/dev/stdin");
  private static final Path OPEN_STREAMS = Path.of("/dev/fd");

  private RegularFile() {}

  /** Returns whether there is something at a path that is neither a regular file nor a folder. */
  public static boolean isOther(Path path) {
    return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
  }

  /**
   * Returns whether a path is a stream that the caller of the program has opened for it: the
   * standard input, or what a shell puts in place of {@code <(command)}. It can be read once.
   */
  public static boolean isOpenStream(Path path) {
    return path.equals(STANDARD_INPUT) || path.startsWith(OPEN_STREAMS);
  }
}
