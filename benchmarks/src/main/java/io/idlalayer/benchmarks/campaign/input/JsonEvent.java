package io.idlalayer.benchmarks.campaign.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads an event that is one JSON object: the top level of it, as texts by field. */
final class JsonEvent {
  private static final JsonFactory JSON = new JsonFactory();

  private final Set<String> declared;
  private final Set<String> numbers;
  private final String text;
  private final Map<String, String> values = new HashMap<>();

  JsonEvent(InputSettings settings, String text) {
    this.text = text;
    numbers = Set.copyOf(settings.numbers());
    declared = new HashSet<>(settings.features());
    declared.add(settings.label());
    if (!settings.id().isEmpty()) {
      declared.add(settings.id());
    }
  }

  Reading read(FieldReader fields) throws RefusedEvent {
    Refusal fault = null;
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new RefusedEvent(Refusal.NO_JSON);
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        Refusal found = field(parser);
        fault = fault == null ? found : fault;
      }
      if (parser.nextToken() != null) {
        throw new RefusedEvent(Refusal.NO_JSON);
      }
    } catch (IOException noJson) {
      throw new RefusedEvent(Refusal.NO_JSON);
    }
    if (fault != null) {
      throw new RefusedEvent(fault);
    }
    return fields.read(values::get);
  }

  /** Takes over a field of the event. Returns what is wrong with it. */
  private @Nullable Refusal field(JsonParser parser) throws IOException {
    String name = parser.currentName();
    JsonToken token = parser.nextToken();
    if (!declared.contains(name)) {
      parser.skipChildren();
      return null;
    }
    if (values.containsKey(name)) {
      parser.skipChildren();
      return Refusal.TWICE;
    }
    String value = "";
    Refusal fault = null;
    if (token == JsonToken.START_ARRAY && numbers.contains(name)) {
      value = onlyElement(parser);
      fault = value.isEmpty() ? Refusal.NO_VALUE : null;
    } else if (token.isStructStart()) {
      parser.skipChildren();
      fault = Refusal.NO_VALUE;
    } else if (token != JsonToken.VALUE_NULL) {
      value = parser.getText();
    }
    values.put(name, value);
    return fault;
  }

  /** Returns the number in an array of one; "" if it is something else. */
  private static String onlyElement(JsonParser parser) throws IOException {
    String value = "";
    int count = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      boolean scalar = parser.currentToken().isScalarValue();
      value = scalar ? parser.getText() : "";
      parser.skipChildren();
      count++;
    }
    return count == 1 ? value : "";
  }
}
