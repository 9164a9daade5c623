package io.idlalayer.jobs.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.TextForm;
import java.io.IOException;
import java.util.Locale;

/**
 * The form of the events on which a published model was trained, as stored in its manifest.
 *
 * @param text encoding of events that are text, and how their fields are delimited and written
 */
public record PublishedInput(ApplicationSettings.Format format, TextForm text) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TextForm PLAIN = TextForm.PLAIN;

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
      return new PublishedInput(
          ApplicationSettings.Format.valueOf(format.toUpperCase(Locale.ROOT)),
          new TextForm(
              EventEncoding.of(settings.path("input.encoding").asText(PLAIN.encoding())).name(),
              delimiter(settings, manifest.version()),
              new NumberNotation(
                  settings.path("input.decimal").asText(PLAIN.notation().decimal()),
                  settings.path("input.thousands").asText(PLAIN.notation().thousands()))));
    } catch (JsonProcessingException | IllegalArgumentException unknown) {
      throw new IOException(
          "version %d names an unknown format of its events".formatted(manifest.version()),
          unknown);
    }
  }

  private static String delimiter(JsonNode settings, long version) throws IOException {
    String delimiter = settings.path("input.delimiter").asText(PLAIN.delimiter());
    if (!CsvRow.delimits(delimiter)) {
      throw new IOException("version %d has no delimiter".formatted(version));
    }
    return delimiter;
  }
}
