package io.idlalayer.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A new folder, deleted with all that is in it when it is closed. */
public record WorkFolder(Path path) implements AutoCloseable {
  /**
   * Makes a folder.
   *
   * @param parent made if it is not there; null for the system's temporary folder
   */
  public static WorkFolder in(@Nullable Path parent, String name) throws IOException {
    return new WorkFolder(
        parent == null
            ? Files.createTempDirectory(name)
            : Files.createTempDirectory(Files.createDirectories(parent), name));
  }

  /** Deletes a folder with all that is in it; what has gone already is no error. */
  public static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }
}
