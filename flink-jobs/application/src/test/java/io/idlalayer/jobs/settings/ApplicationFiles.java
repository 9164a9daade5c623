package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Application files that tests write. */
public final class ApplicationFiles {
  /** An application with images. */
  static final String CNN =
      """
      name: app
      input: {features: [{name: x, width: 16}], label: y, classes: 2}
      model: {type: cnn, image: {height: 4, width: 4, channels: 1}}
      """;

  /** An application with features of ids. */
  static final String IDS =
      """
      name: app
      input: {features: [a], ids: [user, {name: tags, at-most: 3}], label: y, classes: 2}
      embeddings: {dim: 8}
      """;

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

  /**
   * Writes a file that is refused and returns its problems, each after the key.
   *
   * @param environment values of environment variables
   */
  static List<String> problems(Path file, String text, Map<String, String> environment)
      throws IOException {
    Files.writeString(file, text);
    SettingsException refused =
        catchThrowableOfType(
            SettingsException.class, () -> ApplicationFileReader.read(file, environment::get));
    assertThat(refused).as("the file is accepted: " + text).isNotNull();
    return refused.problems().stream().map(it -> it.key() + ": " + it.message()).toList();
  }
}
