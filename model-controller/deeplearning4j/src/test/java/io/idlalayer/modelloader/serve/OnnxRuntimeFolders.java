package io.idlalayer.modelloader.serve;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Deletes the folders with native code that ONNX Runtime leaves behind. */
public final class OnnxRuntimeFolders {
  private final Set<Path> before = found();

  /**
   * Takes note of the folders that are there, and may be in use.
   *
   * @throws IOException if the folder of temporary files cannot be read
   */
  public OnnxRuntimeFolders() throws IOException {}

  private static Set<Path> found() throws IOException {
    Set<Path> found = new HashSet<>();
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, "onnxruntime-java*")) {
      folders.forEach(found::add);
    }
    return found;
  }

  /**
   * Deletes the folders that came since.
   *
   * @throws IOException if one cannot be deleted
   */
  public void deleteNew() throws IOException {
    for (Path made : found()) {
      if (!before.contains(made)) {
        try (Stream<Path> files = Files.walk(made)) {
          List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
          for (Path file : deepestFirst) {
            Files.delete(file);
          }
        }
      }
    }
  }
}
