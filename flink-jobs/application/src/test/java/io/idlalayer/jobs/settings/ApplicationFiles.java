package io.idlalayer.jobs.settings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Application files that tests write. */
public final class ApplicationFiles {
  private ApplicationFiles() {}

  /** Writes a file and reads it. */
  public static ApplicationSettings read(Path file, String text)
      throws IOException, SettingsException {
    return ApplicationFileReader.read(Files.writeString(file, text), name -> null);
  }

  /** Writes the demo's file, with further lines at its end, and reads it. */
  public static ApplicationSettings demo(Path file, String lines)
      throws IOException, SettingsException {
    try (InputStream in =
        Objects.requireNonNull(ApplicationFiles.class.getResourceAsStream("/demo.yaml"))) {
      return read(file, new String(in.readAllBytes(), StandardCharsets.UTF_8) + lines);
    }
  }
}
