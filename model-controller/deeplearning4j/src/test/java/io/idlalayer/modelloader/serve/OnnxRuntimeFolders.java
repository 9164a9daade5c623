package io.idlalayer.modelloader.serve;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Deletes the folders with native code that ONNX Runtime leaves behind. Other processes have such
 * folders at the same place, so only those go whose code is mapped into this one.
 */
public final class OnnxRuntimeFolders {
  private static final Path MAPPED_FILES = Path.of("/proc/self/maps");

  private OnnxRuntimeFolders() {}

  /**
   * Deletes the folders of this process. The code in them is loaded and stays usable. On a system
   * that does not list mapped files nothing is deleted.
   *
   * @throws IOException if a folder cannot be read or deleted
   */
  public static void deleteOwn() throws IOException {
    if (!Files.isReadable(MAPPED_FILES)) {
      return;
    }
    String mapped = Files.readString(MAPPED_FILES);
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, "onnxruntime-java*")) {
      for (Path folder : folders) {
        if (mapped.contains(folder.toRealPath() + "/")) {
          delete(folder);
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.delete(file);
      }
    }
  }
}
