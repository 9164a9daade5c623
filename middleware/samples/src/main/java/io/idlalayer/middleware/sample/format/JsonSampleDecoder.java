package io.idlalayer.middleware.sample.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.EventDraft.Field;
import io.idlalayer.middleware.sample.format.EventDraft.Role;
import io.idlalayer.middleware.sample.path.NestedJson;
import io.idlalayer.middleware.sample.path.PathTree;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.JsonFault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one JSON object in a single pass; plain objects are passed to {@link PlainJsonDecoder},
 * which is several times faster. Fields that the schema does not name are skipped, whatever their
 * values are. An event that has a field twice is refused. If the schema names a field by a path,
 * the event is flattened first.
 */
public final class JsonSampleDecoder implements SampleDecoder {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          // The length of an event already bounds its names and texts.
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(JsonFault.DEPTH_MAX)
                  .maxNumberLength(JsonFault.NUMBER_CHARACTERS_MAX)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private final EventEncoding encoding;
  private final EventDraft draft;
  private final PlainJsonDecoder plain;
  private final Map<String, Named> fields = new HashMap<>();
  private final BitSet seen = new BitSet();
  private final @Nullable NestedJson nested;

  /** The roles that the schema gives to a field name; a name can have several roles. */
  private record Named(int slot, List<Field> targets) {}

  /** Creates a decoder of whole events in UTF-8. */
  public JsonSampleDecoder(SampleSchema schema) {
    this(schema, EventEncoding.UTF_8);
  }

  /** Creates a decoder of whole events in an encoding. */
  public JsonSampleDecoder(SampleSchema schema, EventEncoding encoding) {
    this(schema, encoding, EventParts.WHOLE);
  }

  /** Creates a decoder of events in an encoding. */
  public JsonSampleDecoder(SampleSchema schema, EventEncoding encoding, EventParts parts) {
    this(schema, encoding, parts, new PathTree(schema.fieldNames()));
  }

  private JsonSampleDecoder(
      SampleSchema schema, EventEncoding encoding, EventParts parts, PathTree tree) {
    nested = tree.anyPath() ? new NestedJson(tree) : null;
    this.encoding = encoding;
    draft = new EventDraft(schema, parts);
    plain = new PlainJsonDecoder(draft);
    for (Field field : draft.fields()) {
      fields
          .computeIfAbsent(field.name(), name -> new Named(fields.size(), new ArrayList<>(1)))
          .targets()
          .add(field);
    }
  }

  /**
   * Returns a decoder of flat events in UTF-8, whose fields have exactly the names in the schema,
   * even if these are paths.
   */
  public static JsonSampleDecoder ofFlat(SampleSchema schema, EventParts parts) {
    return new JsonSampleDecoder(schema, EventEncoding.UTF_8, parts, new PathTree(List.of()));
  }

  @Override
  public Sample decode(byte[] event) throws MalformedSampleException {
    if (nested != null) {
      return decode(event, nested);
    }
    Sample sample = plain.decode(event);
    return sample == null ? parsed(event) : sample;
  }

  private Sample decode(byte[] event, NestedJson fields) throws MalformedSampleException {
    byte[] flat = flat(encoding.text(event), fields);
    try {
      Sample sample = plain.decode(flat);
      return sample == null ? parsed(new String(flat, StandardCharsets.UTF_8)) : sample;
    } catch (MalformedSampleException refused) {
      throw fields.found().explained(refused);
    }
  }

  private byte[] flat(String text, NestedJson fields) throws MalformedSampleException {
    try (JsonParser parser = JSON.createParser(text)) {
      JsonToken first = parser.nextToken();
      if (first != JsonToken.START_OBJECT) {
        throw new MalformedSampleException("event", noObject(first));
      }
      return fields.flat(parser);
    } catch (IOException broken) {
      throw fault(text);
    }
  }

  /** Decodes any JSON object with Jackson. */
  Sample parsed(byte[] event) throws MalformedSampleException {
    return parsed(encoding.text(event));
  }

  private Sample parsed(String text) throws MalformedSampleException {
    try (JsonParser parser = JSON.createParser(text)) {
      JsonToken first = parser.nextToken();
      if (first != JsonToken.START_OBJECT) {
        throw new MalformedSampleException("event", noObject(first));
      }
      draft.begin();
      seen.clear();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        readField(parser);
      }
      if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
        throw fault(text);
      }
      complete();
      return draft.sample();
    } catch (IOException broken) {
      throw fault(text);
    }
  }

  private static String noObject(@Nullable JsonToken first) {
    return "not a JSON object"
        + (first == JsonToken.START_ARRAY
            ? " but an array; each event is one object on one line"
            : first == null ? "; nothing but spaces" : " but a single value");
  }

  /**
   * Returns the exception for a text that is not JSON. It describes the fault at the place where
   * the text stops being JSON.
   */
  private MalformedSampleException fault(String text) {
    JsonFault.Place fault = JsonFault.of(text);
    int bytes = text.substring(0, fault.at()).getBytes(encoding.ofEvents()).length;
    return new MalformedSampleException("byte " + bytes, fault.reason());
  }

  private void readField(JsonParser parser) throws IOException, MalformedSampleException {
    String name = parser.currentName();
    Named field = fields.get(name);
    JsonToken value = parser.nextToken();
    if (field == null) {
      parser.skipChildren();
      return;
    }
    if (seen.get(field.slot())) {
      throw new MalformedSampleException(name, "named twice");
    }
    seen.set(field.slot());
    Field first = field.targets().get(0);
    if (value == JsonToken.START_ARRAY) {
      readArray(parser, field);
    } else if (value == JsonToken.START_OBJECT) {
      throw new MalformedSampleException(name, "an object where a value is expected");
    } else if (value.isNumeric() && field.targets().size() == 1 && first.role() == Role.DENSE) {
      checkWidth(first, 1);
      draft.dense(first).number(parser.getDoubleValue(), 0, draft.dense());
    } else if (value == JsonToken.VALUE_NULL && first.role() == Role.DENSE) {
      draft.absent(first);
    } else {
      String text = value == JsonToken.VALUE_NULL ? "" : parser.getText();
      EventEncoding.checkCharacters(name, text);
      for (Field target : field.targets()) {
        if (target.role() == Role.DENSE) {
          checkWidth(target, 1);
        }
        draft.text(target, text);
      }
    }
  }

  private void readArray(JsonParser parser, Named field)
      throws IOException, MalformedSampleException {
    Field first = field.targets().get(0);
    if (first.role() == Role.DENSE) {
      readNumbers(parser, first);
    } else if (first.role() == Role.IDS && field.targets().size() == 1) {
      readIds(parser, first);
    } else {
      throw new MalformedSampleException(
          parser.currentName(), "an array where a value is expected");
    }
  }

  private void readIds(JsonParser parser, Field target)
      throws IOException, MalformedSampleException {
    String name = parser.currentName();
    JsonToken token = parser.nextToken();
    for (int count = 0; token != JsonToken.END_ARRAY; count++) {
      if (!token.isScalarValue()) {
        throw new MalformedSampleException(
            name, String.format(Locale.ROOT, "element %d is not an id", count));
      }
      if (token != JsonToken.VALUE_NULL) {
        EventEncoding.checkCharacters(name, parser.getText());
        draft.text(target, parser.getText());
      }
      token = parser.nextToken();
    }
  }

  private void readNumbers(JsonParser parser, Field target)
      throws IOException, MalformedSampleException {
    String name = parser.currentName();
    DenseField field = draft.dense(target);
    int width = field.feature().width();
    int count = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      JsonToken token = parser.currentToken();
      boolean any = token == JsonToken.VALUE_NULL && !field.refusesMissing();
      boolean truth = token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE;
      boolean text = token == JsonToken.VALUE_STRING;
      if (!token.isNumeric() && !any && !truth && !text) {
        throw new MalformedSampleException(
            name, String.format(Locale.ROOT, "element %d is not a number", count));
      }
      if (count < width && token.isNumeric()) {
        field.number(parser.getDoubleValue(), count, draft.dense());
      } else if (count < width) {
        field.text(any ? "" : parser.getText(), count, draft.dense());
      }
      count++;
    }
    checkWidth(target, count);
  }

  private void checkWidth(Field target, int found) throws MalformedSampleException {
    SampleSchema.DenseFeature feature = draft.dense(target).feature();
    if (feature.width() != found) {
      throw new MalformedSampleException(
          feature.name(),
          String.format(Locale.ROOT, "%d values where %d are expected", found, feature.width()));
    }
  }

  /** Fills in the values of fields that the event does not have. */
  private void complete() throws MalformedSampleException {
    if (seen.cardinality() == fields.size()) {
      return;
    }
    for (Field field : draft.fields()) {
      Named named = fields.get(field.name());
      if (field.role() == Role.DENSE && named != null && !seen.get(named.slot())) {
        draft.absent(field);
      }
    }
  }
}
