package io.idlalayer.jobs.events;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes the quality of a model as JSON. It has most of the numbers of an event, and the events of
 * updates repeat it, so the text of the last one is kept. Safe from any thread.
 */
final class QualityJson extends JsonSerializer<PrequentialSummary> {
  private final ObjectWriter writer;
  private volatile @Nullable Kept kept;

  private record Kept(PrequentialSummary quality, SerializedString json) {}

  /**
   * @param json writes the quality as any other record
   */
  QualityJson(ObjectMapper json) {
    writer = json.writerFor(PrequentialSummary.class);
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // Comparing all numbers would take as long as writing them.
  public void serialize(PrequentialSummary quality, JsonGenerator out, SerializerProvider context)
      throws IOException {
    Kept last = kept;
    if (last == null || last.quality() != quality) {
      last = new Kept(quality, new SerializedString(writer.writeValueAsString(quality)));
      kept = last;
    }
    out.writeRawValue(last.json());
  }
}
