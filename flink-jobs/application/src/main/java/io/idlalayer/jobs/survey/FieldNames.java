package io.idlalayer.jobs.survey;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.path.FieldPath;
import io.idlalayer.middleware.sample.path.FieldPath.Step;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Finds undeclared fields of JSON events that lack a declared field, because one of the undeclared
 * fields was possibly meant. The class examines the first such events and later only a few, because
 * it must parse each event again. Confined to one thread.
 */
public final class FieldNames {
  private static final int ALL_OF_FIRST = 1_000;
  private static final int ONE_OF = 128;
  private static final int EVENT_BYTES_MAX = 64 << 10;
  private static final int NAMES_MAX = 16;
  private static final int NAME_CHARACTERS_MAX = 64;

  /** Largest number of steps into objects and arrays. */
  private static final int STEPS_MAX = 5;

  private static final JsonFactory JSON = new JsonFactory();

  private final SampleSchema schema;
  private final Charset encoding;
  private final Set<String> declared;
  private final Set<String> leading;
  private final boolean denseMayBeMissing;
  private long lacking;

  /**
   * Whether any event had features. If so, an event without features is the label of another event.
   */
  private boolean features;

  private boolean complete;

  /**
   * @param encoding encoding of the events
   */
  public FieldNames(SampleSchema schema, EventEncoding encoding) {
    this.schema = schema;
    this.encoding = encoding.ofEvents();
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

  /** Returns whether a sample has all declared fields, so that its event need not be examined. */
  public boolean lacksNone(Sample sample) {
    boolean lacksNone = !sample.labelOnly() && complete(sample);
    features |= lacksNone;
    return lacksNone;
  }

  /** Sets the sample that was decoded from the event of the next call of {@link #undeclared}. */
  public void decoded(Sample sample) {
    features |= !sample.labelOnly();
    complete = sample.labelOnly() ? features : complete(sample);
  }

  /**
   * Returns the names of the fields of an event that are not declared, if the event was refused or
   * lacks a declared field; fields inside of objects are written as paths. Empty for most events.
   */
  public List<String> undeclared(byte[] event) {
    boolean lacksNone = complete;
    complete = false;
    if (lacksNone) {
      return List.of();
    }
    if (event.length > EVENT_BYTES_MAX) {
      return List.of();
    }
    lacking++;
    return lacking <= ALL_OF_FIRST || lacking % ONE_OF == 0 ? names(event) : List.of();
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
      // A missing number is possibly read as zero.
      if (Double.isNaN(each) || each == 0) {
        return true;
      }
    }
    return false;
  }

  private List<String> names(byte[] event) {
    List<String> names = new ArrayList<>();
    try (JsonParser parser = JSON.createParser(new String(event, encoding))) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        object(parser, List.of(), names);
      }
    } catch (IOException noJson) {
      // The event is refused because of this fault; the names before the fault are enough.
      return names;
    }
    return names;
  }

  /**
   * Adds the names of an object's fields. They are paths if the object is inside of another object.
   */
  private void object(JsonParser parser, List<Step> above, List<String> names) throws IOException {
    while (names.size() < NAMES_MAX && parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = Objects.requireNonNull(parser.currentName());
      JsonToken value = parser.nextToken();
      if (above.isEmpty() && declared.contains(name)) {
        parser.skipChildren();
        continue;
      }
      List<Step> steps = new ArrayList<>(above);
      steps.add(new Step.Name(name));
      int before = names.size();
      if (value == JsonToken.START_OBJECT && steps.size() < STEPS_MAX) {
        object(parser, steps, names);
      } else if (value == JsonToken.START_ARRAY && steps.size() < STEPS_MAX) {
        array(parser, steps, names);
      } else {
        parser.skipChildren();
      }
      String path = above.isEmpty() ? name : new FieldPath(steps).toString();
      if (names.size() == before && !leading.contains(path)) {
        add(names, path);
      }
    }
  }

  /** Adds the names of the fields of the object that an array begins with, if it does. */
  private void array(JsonParser parser, List<Step> above, List<String> names) throws IOException {
    JsonToken next = parser.nextToken();
    if (next == JsonToken.START_OBJECT) {
      List<Step> steps = new ArrayList<>(above);
      steps.add(new Step.Position(0));
      object(parser, steps, names);
      next = names.size() < NAMES_MAX ? parser.nextToken() : null;
    }
    while (next != null && next != JsonToken.END_ARRAY) {
      parser.skipChildren();
      next = parser.nextToken();
    }
  }

  private static void add(List<String> names, String name) {
    if (names.size() < NAMES_MAX && name.length() <= NAME_CHARACTERS_MAX) {
      names.add(name);
    }
  }
}
