package io.idlalayer.jobs.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.io.IOException;
import java.util.Locale;

/**
 * The form of the events that a published model was trained on, as its manifest says.
 *
 * @param delimiter delimiter of the fields in {@link ApplicationSettings.Format#CSV}
 */
public record PublishedInput(ApplicationSettings.Format format, char delimiter) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Returns the form of the events that a manifest names.
   *
   * @throws IOException if the manifest does not name it
   */
  public static PublishedInput of(ModelManifest manifest) throws IOException {
    String identity = manifest.attributes().get(SettingsIdentity.ATTRIBUTE);
    if (identity == null) {
      throw new IOException(
          "version %d does not name the format of its events".formatted(manifest.version()));
    }
    try {
      JsonNode settings = JSON.readTree(identity).path("settings");
      String format = settings.path("input.format").asText("").replace('-', '_');
      String delimiter = settings.path("input.delimiter").asText(",");
      if (delimiter.length() != 1) {
        throw new IOException("version %d has no delimiter".formatted(manifest.version()));
      }
      return new PublishedInput(
          ApplicationSettings.Format.valueOf(format.toUpperCase(Locale.ROOT)), delimiter.charAt(0));
    } catch (JsonProcessingException | IllegalArgumentException unknown) {
      throw new IOException(
          "version %d names an unknown format of its events".formatted(manifest.version()),
          unknown);
    }
  }
}
