package io.idlalayer.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A file system in memory ({@code tmpfs}) of a few bytes, which can really be full. */
public final class MemoryFileSystem implements AutoCloseable {
  private final Path folder;

  private MemoryFileSystem(Path folder) {
    this.folder = folder;
  }

  /**
   * Mounts a file system on a folder; empty if this user may not mount one.
   *
   * @param bytes size of the file system
   */
  public static Optional<MemoryFileSystem> mount(Path folder, long bytes)
      throws InterruptedException {
    String options = "size=%d,mode=700".formatted(bytes);
    return run("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder.toString())
        ? Optional.of(new MemoryFileSystem(folder))
        : Optional.empty();
  }

  /** Unmounts the file system, also if files of it are open. */
  @Override
  public void close() throws IOException, InterruptedException {
    if (!run("umount", "-l", folder.toString())) {
      throw new IOException("%s cannot be unmounted".formatted(folder));
    }
  }

  /** Runs a program of the system; returns whether it is there and has succeeded. */
  public static boolean run(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }
}
