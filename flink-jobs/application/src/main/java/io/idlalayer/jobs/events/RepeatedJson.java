package io.idlalayer.jobs.events;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a part of statuses as JSON. The events of updates repeat it, so the texts of the last
 * parts are kept. There are several, because the learners of a process send events alternately.
 * Thread-safe.
 *
 * @param <T> the type of the part, an immutable record
 */
final class RepeatedJson<T> extends JsonSerializer<T> {
  /** Largest number of parts whose text is kept. A process rarely has more learners than this. */
  static final int MOST = 16;

  private final ObjectWriter writer;

  /**
   * The list of texts, newest first. The list is never changed, only replaced. If two threads
   * replace it at the same time, one part is lost.
   */
  private volatile List<Text<T>> last = List.of();

  private record Text<T>(T part, SerializedString json) {}

  /**
   * @param json writes the part like any other record
   */
  RepeatedJson(ObjectMapper json, Class<T> type) {
    writer = json.writerFor(type);
  }

  @Override
  public void serialize(T part, JsonGenerator out, SerializerProvider context) throws IOException {
    out.writeRawValue(text(part));
  }

  @SuppressWarnings(
      "ReferenceEquality") // Comparing all numbers would take as long as writing them.
  private SerializedString text(T part) throws IOException {
    List<Text<T>> before = last;
    for (Text<T> each : before) {
      if (each.part() == part) {
        return each.json();
      }
    }
    SerializedString json = new SerializedString(writer.writeValueAsString(part));
    List<Text<T>> after = new ArrayList<>(MOST);
    after.add(new Text<>(part, json));
    after.addAll(before.subList(0, Math.min(before.size(), MOST - 1)));
    last = after;
    return json;
  }
}
