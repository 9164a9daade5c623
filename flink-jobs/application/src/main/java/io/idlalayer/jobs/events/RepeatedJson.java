package io.idlalayer.jobs.events;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a part of statuses as JSON. The events of updates repeat it, so the text of the last one
 * is kept. Safe from any thread.
 *
 * @param <T> the type of the part, an immutable record
 */
final class RepeatedJson<T> extends JsonSerializer<T> {
  private final ObjectWriter writer;
  private volatile @Nullable Kept<T> kept;

  private record Kept<T>(T part, SerializedString json) {}

  /**
   * @param json writes the part as any other record
   */
  RepeatedJson(ObjectMapper json, Class<T> type) {
    writer = json.writerFor(type);
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // Comparing all numbers would take as long as writing them.
  public void serialize(T part, JsonGenerator out, SerializerProvider context) throws IOException {
    Kept<T> last = kept;
    if (last == null || last.part() != part) {
      last = new Kept<>(part, new SerializedString(writer.writeValueAsString(part)));
      kept = last;
    }
    out.writeRawValue(last.json());
  }
}
