package io.idlalayer.jobs.survey;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.path.FieldPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Finds which fields a JSON event has instead of a declared one that it lacks. It looks at the
 * first such events and then at few of them, because looking parses the event again. Confined to
 * one thread.
 */
public final class FieldNames {
  private static final int ALL_OF_FIRST = 1_000;
  private static final int ONE_OF = 128;
  private static final int EVENT_BYTES_MAX = 64 << 10;
  private static final int NAMES_MAX = 16;
  private static final int NAME_CHARACTERS_MAX = 64;

  private static final JsonFactory JSON = new JsonFactory();

  private final SampleSchema schema;
  private final Set<String> declared;
  private final Set<String> leading;
  private final boolean denseMayBeMissing;
  private long lacking;

  /** Whether an event had features, so that one without any is the label of another event. */
  private boolean features;

  private boolean complete;

  public FieldNames(SampleSchema schema) {
    this.schema = schema;
    declared = Set.copyOf(schema.fieldNames());
    leading = leading(schema);
    denseMayBeMissing =
        schema.dense().stream()
            .anyMatch(each -> each.reading().missing() != SampleSchema.Missing.REFUSE);
  }

  /** Returns the beginnings of all paths, which lead to declared fields. */
  private static Set<String> leading(SampleSchema schema) {
    Set<String> leading = new HashSet<>();
    for (String name : schema.fieldNames()) {
      FieldPath path = FieldPath.of(name);
      for (int steps = path == null ? 0 : path.steps().size(); steps > 0; steps--) {
        leading.add(Objects.requireNonNull(path).beginning(steps));
      }
    }
    return leading;
  }

  /** Returns whether a field is a feature, the label, the id, the weight or the key of a schema. */
  static boolean declares(SampleSchema schema, String field) {
    SampleSchema.Weight weight = schema.weight();
    SampleSchema.History history = schema.history();
    return field.equals(schema.label().name())
        || field.equals(schema.id())
        || (history != null && field.equals(history.key()))
        || (weight != null && field.equals(weight.name()))
        || schema.dense().stream().anyMatch(each -> each.name().equals(field))
        || schema.categorical().stream().anyMatch(each -> each.name().equals(field))
        || schema.ids().stream().anyMatch(each -> each.name().equals(field));
  }

  /** Returns whether a sample has all declared fields, so that its event is not looked at. */
  public boolean lacksNone(Sample sample) {
    boolean lacksNone = !sample.labelOnly() && complete(sample);
    features |= lacksNone;
    return lacksNone;
  }

  /** Takes what was decoded from the event that {@link #undeclared} is asked about next. */
  public void decoded(Sample sample) {
    features |= !sample.labelOnly();
    complete = sample.labelOnly() ? features : complete(sample);
  }

  /**
   * Returns the names of the fields of an event that are not declared, if it was refused or lacks a
   * declared one; fields in an object are written as {@code object.field}. Empty for most events.
   */
  public List<String> undeclared(byte[] text) {
    boolean lacksNone = complete;
    complete = false;
    if (lacksNone) {
      return List.of();
    }
    if (text.length > EVENT_BYTES_MAX) {
      return List.of();
    }
    lacking++;
    return lacking <= ALL_OF_FIRST || lacking % ONE_OF == 0 ? names(text) : List.of();
  }

  private boolean complete(Sample sample) {
    for (int bucket : sample.categorical()) {
      if (bucket == 0) {
        return false;
      }
    }
    IdLists ids = sample.ids();
    for (int i = 0; i < ids.size(); i++) {
      if (ids.key(i) == IdLists.MISSING) {
        return false;
      }
    }
    return sample.labeled()
        && !sample.absent().any()
        && (schema.id() == null || !sample.id().isEmpty())
        && !FieldSurvey.hasUsualWeight(schema, sample)
        && !(denseMayBeMissing && anyDenseMissing(sample.dense()));
  }

  private static boolean anyDenseMissing(double[] dense) {
    for (double each : dense) {
      // A missing number may be read as zero.
      if (Double.isNaN(each) || each == 0) {
        return true;
      }
    }
    return false;
  }

  private List<String> names(byte[] text) {
    List<String> names = new ArrayList<>();
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return names;
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME && names.size() < NAMES_MAX) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (declared.contains(name)) {
          parser.skipChildren();
        } else if (value == JsonToken.START_OBJECT) {
          inside(parser, name, names);
        } else if (leading.contains(name)) {
          parser.skipChildren();
        } else {
          add(names, name);
          parser.skipChildren();
        }
      }
    } catch (IOException noJson) {
      // The event is refused for that; the names before the fault are enough.
      return names;
    }
    return names;
  }

  private void inside(JsonParser parser, String object, List<String> names) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = object + "." + Objects.requireNonNull(parser.currentName());
      if (!leading.contains(name)) {
        add(names, name);
      }
      parser.nextToken();
      parser.skipChildren();
    }
  }

  private static void add(List<String> names, String name) {
    if (names.size() < NAMES_MAX && name.length() <= NAME_CHARACTERS_MAX) {
      names.add(name);
    }
  }
}
