package io.idlalayer.middleware.sample.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.path.NestedJson;
import io.idlalayer.middleware.sample.path.PathTree;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.JsonFault;
import io.idlalayer.middleware.sample.text.NumberNotation;
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
 * Decodes one JSON object in a single pass; leaves plain objects to {@link PlainJsonDecoder}, which
 * takes a fraction of the time. Fields the schema does not name are skipped, whatever they hold; a
 * field that is named twice in the event is refused. If the schema names a field by a path, an
 * event is made flat first.
 */
public final class JsonSampleDecoder implements SampleDecoder {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          // The length of an event bounds its names and texts.
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

  private final SampleSchema schema;
  private final EventEncoding encoding;
  private final FieldValues values;
  private final AbsentDraft absent;
  private final List<DenseField> dense;
  private final PlainJsonDecoder plain;
  private final Map<String, Field> fields = new HashMap<>();
  private final int slots;
  private final BitSet seen = new BitSet();
  private final IdDraft ids;
  private final @Nullable NestedJson nested;

  private enum Role {
    DENSE,
    CATEGORICAL,
    IDS,
    LABEL,
    ID,
    WEIGHT,
    KEY
  }

  /** The roles that the schema gives to a field name; a name may have several. */
  private record Field(int slot, List<Target> targets) {}

  private record Target(Role role, int index) {}

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
    this.schema = schema;
    this.encoding = encoding;
    values = new FieldValues(schema, NumberNotation.PLAIN);
    absent = new AbsentDraft(schema, parts);
    dense = DenseField.of(schema, NumberNotation.PLAIN, absent);
    plain = new PlainJsonDecoder(schema, values, dense, absent);
    ids = new IdDraft(schema.ids());
    for (int i = 0; i < schema.dense().size(); i++) {
      add(schema.dense().get(i).name(), new Target(Role.DENSE, i));
    }
    for (int i = 0; i < schema.categorical().size(); i++) {
      add(schema.categorical().get(i).name(), new Target(Role.CATEGORICAL, i));
    }
    for (int i = 0; i < schema.ids().size(); i++) {
      add(schema.ids().get(i).name(), new Target(Role.IDS, i));
    }
    add(schema.label().name(), new Target(Role.LABEL, 0));
    String id = schema.id();
    if (id != null) {
      add(id, new Target(Role.ID, 0));
    }
    SampleSchema.Weight weight = schema.weight();
    if (weight != null) {
      add(weight.name(), new Target(Role.WEIGHT, 0));
    }
    SampleSchema.History history = schema.history();
    String key = history == null ? null : history.key();
    if (key != null) {
      add(key, new Target(Role.KEY, 0));
    }
    slots = fields.size();
  }

  private void add(String name, Target target) {
    fields
        .computeIfAbsent(name, key -> new Field(fields.size(), new ArrayList<>(1)))
        .targets()
        .add(target);
  }

  /**
   * Returns a decoder of flat events in UTF-8, whose fields have the names of the schema as they
   * are, paths too.
   */
  public static JsonSampleDecoder ofFlat(SampleSchema schema, EventParts parts) {
    return new JsonSampleDecoder(schema, EventEncoding.UTF_8, parts, new PathTree(List.of()));
  }

  /** The values of an event that were decoded so far. */
  private final class Draft {
    final double[] numbers = new double[schema.denseWidth()];
    final int[] categorical = new int[schema.categorical().size()];
    double label = Sample.NO_LABEL;
    String id = "";
    double weight = absent.noWeight();
    long key = IdLists.MISSING;

    void set(Target target, String text) throws MalformedSampleException {
      switch (target.role()) {
        case DENSE -> field(target).text(text, 0, numbers);
        case CATEGORICAL ->
            categorical[target.index()] =
                FieldValues.bucket(schema.categorical().get(target.index()), text);
        case IDS -> ids.add(target.index(), text);
        case LABEL -> label = values.label(text);
        case ID -> id = values.id(text);
        case WEIGHT -> weight = values.weight(text);
        case KEY -> key = values.key(text);
      }
    }

    Sample sample() throws MalformedSampleException {
      return absent.sample(id, numbers, categorical, ids.lists(), label, weight, key);
    }
  }

  private DenseField field(Target target) {
    return dense.get(target.index());
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
      Draft draft = new Draft();
      seen.clear();
      ids.clear();
      absent.clear();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        readField(parser, draft);
      }
      if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
        throw fault(text);
      }
      complete(draft);
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

  /** Returns what is wrong with a text that is not JSON, in the place where it stops being JSON. */
  private MalformedSampleException fault(String text) {
    JsonFault.Place fault = JsonFault.of(text);
    int bytes = text.substring(0, fault.at()).getBytes(encoding.ofEvents()).length;
    return new MalformedSampleException("byte " + bytes, fault.reason());
  }

  private void readField(JsonParser parser, Draft draft)
      throws IOException, MalformedSampleException {
    String name = parser.currentName();
    Field field = fields.get(name);
    JsonToken value = parser.nextToken();
    if (field == null) {
      parser.skipChildren();
      return;
    }
    if (seen.get(field.slot())) {
      throw new MalformedSampleException(name, "named twice");
    }
    seen.set(field.slot());
    Target first = field.targets().get(0);
    if (value == JsonToken.START_ARRAY) {
      readArray(parser, field, draft);
    } else if (value == JsonToken.START_OBJECT) {
      throw new MalformedSampleException(name, "an object where a value is expected");
    } else if (value.isNumeric() && field.targets().size() == 1 && first.role() == Role.DENSE) {
      checkWidth(first, 1);
      field(first).number(parser.getDoubleValue(), 0, draft.numbers);
    } else if (value == JsonToken.VALUE_NULL && first.role() == Role.DENSE) {
      field(first).absent(draft.numbers);
    } else {
      String text = value == JsonToken.VALUE_NULL ? "" : parser.getText();
      EventEncoding.checkCharacters(name, text);
      for (Target target : field.targets()) {
        if (target.role() == Role.DENSE) {
          checkWidth(target, 1);
        }
        draft.set(target, text);
      }
    }
  }

  private void readArray(JsonParser parser, Field field, Draft draft)
      throws IOException, MalformedSampleException {
    Target first = field.targets().get(0);
    if (first.role() == Role.DENSE) {
      readNumbers(parser, first, draft);
    } else if (first.role() == Role.IDS && field.targets().size() == 1) {
      readIds(parser, first);
    } else {
      throw new MalformedSampleException(
          parser.currentName(), "an array where a value is expected");
    }
  }

  private void readIds(JsonParser parser, Target target)
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
        ids.add(target.index(), parser.getText());
      }
      token = parser.nextToken();
    }
  }

  private void readNumbers(JsonParser parser, Target target, Draft draft)
      throws IOException, MalformedSampleException {
    String name = parser.currentName();
    DenseField field = field(target);
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
        field.number(parser.getDoubleValue(), count, draft.numbers);
      } else if (count < width) {
        field.text(any ? "" : parser.getText(), count, draft.numbers);
      }
      count++;
    }
    checkWidth(target, count);
  }

  private void checkWidth(Target target, int found) throws MalformedSampleException {
    SampleSchema.DenseFeature feature = field(target).feature();
    if (feature.width() != found) {
      throw new MalformedSampleException(
          feature.name(),
          String.format(Locale.ROOT, "%d values where %d are expected", found, feature.width()));
    }
  }

  /** Fills in what the event does not name. */
  private void complete(Draft draft) throws MalformedSampleException {
    if (seen.cardinality() == slots) {
      return;
    }
    for (DenseField each : dense) {
      Field field = fields.get(each.feature().name());
      if (field != null && !seen.get(field.slot())) {
        each.absent(draft.numbers);
      }
    }
  }
}
