package io.idlalayer.benchmarks.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A CSV file to which an experiment appends a line for each run, and shows it. */
public final class CsvFile {
  private final Path file;

  /**
   * Opens a file; a new one begins with the header.
   *
   * @throws IOException if it cannot be written
   */
  public CsvFile(Path file, String header) throws IOException {
    this.file = file;
    if (!Files.exists(file)) {
      append(header);
    }
  }

  /** Appends a line, without its end. */
  public void append(String line) throws IOException {
    Files.writeString(
        file,
        line + System.lineSeparator(),
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    System.out.println(line);
  }
}
