package io.idlalayer.jobs.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** A folder as one file, so that it can be committed. */
final class ZippedFolder {
  private ZippedFolder() {}

  /**
   * Writes the files of a folder, by their names relative to it.
   *
   * @param wanted which of those names
   */
  static void write(Path folder, Predicate<String> wanted, Path zip) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    try (OutputStream out = Files.newOutputStream(zip);
        ZipOutputStream entries = new ZipOutputStream(out)) {
      entries.setLevel(Deflater.BEST_COMPRESSION);
      for (Path file : files) {
        String name = folder.relativize(file).toString();
        if (wanted.test(name)) {
          ZipEntry entry = new ZipEntry(name);
          entry.setTime(0);
          entries.putNextEntry(entry);
          Files.copy(file, entries);
          entries.closeEntry();
        }
      }
    }
  }

  /** Writes them out again. */
  static void extract(InputStream zip, Path folder) throws IOException {
    try (ZipInputStream entries = new ZipInputStream(zip)) {
      for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
        Path file = folder.resolve(entry.getName()).normalize();
        if (!file.startsWith(folder)) {
          throw new IOException("entry " + entry.getName() + " is outside of the folder");
        }
        Files.createDirectories(file.getParent());
        Files.copy(entries, file);
      }
    }
  }
}
