package io.idlalayer.jobs.proposal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FieldPath;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of events as texts, in rows of one length. Confined to one thread. */
final class EventTable {
  /** The kinds of values of a field other than single texts and numbers. */
  static final class Shape {
    /** Lengths of arrays: the shortest and the longest one; 0 if there is none. */
    int shortest;

    int longest;
    boolean allNumbers = true;
    boolean nested;

    private void array(int length, boolean numbers) {
      shortest = longest == 0 ? length : Math.min(shortest, length);
      longest = Math.max(longest, length);
      allNumbers &= numbers;
    }
  }

  private static final JsonFactory JSON = new JsonFactory();
  private static final String ARRAY = "[]";
  private static final int DEEPEST = 8;

  private final List<String> names;
  private final List<@Nullable String[]> rows = new ArrayList<>();
  private final Map<String, Shape> shapes = new LinkedHashMap<>();
  private int front;
  private int unreadable;
  private boolean tooMany;

  private EventTable(List<String> names) {
    this.names = names;
  }

  /**
   * Splits events into their fields.
   *
   * @param events rows of CSV, or JSON objects whatever the format is
   */
  static EventTable of(EventRows events, EventForm form) {
    EventTable table = new EventTable(new ArrayList<>(form.columns()));
    boolean json = form.format() != Format.CSV;
    Map<String, Integer> places = new LinkedHashMap<>();
    for (int i = 0; i < events.records().size(); i++) {
      byte[] event = events.records().get(i);
      @Nullable String[] row = json ? table.json(event, form, places) : table.csv(event, form);
      if (row == null) {
        table.unreadable++;
      } else {
        table.rows.add(row);
        table.front += i < events.front() ? 1 : 0;
      }
    }
    return table;
  }

  private @Nullable String @Nullable [] csv(byte[] event, EventForm form) {
    try {
      List<String> fields = CsvRow.fields(text(event, form), form.delimiter());
      if (fields.size() != names.size() || isHeader(fields, form)) {
        return null;
      }
      @Nullable String[] row = new @Nullable String[names.size()];
      for (int i = 0; i < row.length; i++) {
        row[i] = fields.get(i).isEmpty() ? null : fields.get(i);
      }
      return row;
    } catch (MalformedSampleException broken) {
      return null;
    }
  }

  /** Returns whether a row is the header again, as in files that were put together. */
  private static boolean isHeader(List<String> fields, EventForm form) {
    boolean equal = form.header();
    for (int i = 0; equal && i < fields.size(); i++) {
      String name = form.columns().get(i);
      equal = name.isEmpty() || fields.get(i).strip().equals(name);
    }
    return equal;
  }

  private static String text(byte[] event, EventForm form) throws MalformedSampleException {
    return EventEncoding.of(form.encoding()).text(event);
  }

  private @Nullable String @Nullable [] json(
      byte[] event, EventForm form, Map<String, Integer> places) {
    Map<String, String> fields = new LinkedHashMap<>();
    try (JsonParser parser = JSON.createParser(text(event, form))) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return null;
      }
      object(parser, List.of(), fields);
      if (parser.nextToken() != null) {
        return null;
      }
    } catch (IOException | MalformedSampleException broken) {
      return null;
    }
    for (String name : fields.keySet()) {
      if (!places.containsKey(name)) {
        if (places.size() == FormGuess.MOST_COLUMNS) {
          tooMany = true;
          continue;
        }
        places.put(name, places.size());
        names.add(name);
      }
    }
    @Nullable String[] row = new @Nullable String[names.size()];
    fields.forEach(
        (name, value) -> {
          Integer place = places.get(name);
          if (place != null) {
            row[place] = value;
          }
        });
    return row;
  }

  /**
   * Reads the values of an object's fields. An inner field has its path as name, unless the event
   * itself has a field with this name.
   *
   * @param outer steps to the object
   */
  private void object(JsonParser parser, List<FieldPath.Step> outer, Map<String, String> fields)
      throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String own = parser.currentName();
      List<FieldPath.Step> steps = new ArrayList<>(outer);
      steps.add(new FieldPath.Step.Name(own));
      JsonToken token = parser.nextToken();
      if (token == JsonToken.START_OBJECT && steps.size() <= DEEPEST) {
        object(parser, steps, fields);
        continue;
      }
      String name = outer.isEmpty() ? own : new FieldPath(steps).toString();
      String value = value(parser, token, name);
      if (value != null && outer.isEmpty()) {
        fields.put(name, value);
      } else if (value != null) {
        fields.putIfAbsent(name, value);
      }
    }
  }

  /**
   * Returns the text of a value; null if there is none. The parser is then at the end of the value.
   */
  private @Nullable String value(JsonParser parser, JsonToken token, String name)
      throws IOException {
    if (token == JsonToken.START_OBJECT) {
      parser.skipChildren();
      return null;
    }
    if (token == JsonToken.START_ARRAY) {
      return array(parser, name);
    }
    String text = token == JsonToken.VALUE_NULL ? null : parser.getText();
    return text == null || text.isEmpty() ? null : text;
  }

  private String array(JsonParser parser, String name) throws IOException {
    int length = 0;
    boolean numbers = true;
    boolean deep = false;
    String only = "";
    for (JsonToken token = parser.nextToken();
        token != null && token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      length++;
      numbers &= token.isNumeric() || token.isBoolean();
      if (token.isStructStart()) {
        deep = true;
        parser.skipChildren();
      } else if (token != JsonToken.VALUE_NULL) {
        only = parser.getText();
      }
    }
    Shape shape = shapes.computeIfAbsent(name, any -> new Shape());
    shape.array(length, numbers);
    shape.nested |= deep;
    return length == 1 && !only.isEmpty() ? only : ARRAY;
  }

  /** Returns the names of the fields; "" for a column that cannot be named. */
  List<String> names() {
    return names;
  }

  int rows() {
    return rows.size();
  }

  /**
   * Returns how many rows at the beginning of the table are the first events of the input without a
   * gap.
   */
  int front() {
    return front;
  }

  /** Returns how many events could not be split. */
  int unreadable() {
    return unreadable;
  }

  /** Returns whether events had more fields than the table can have. */
  boolean tooMany() {
    return tooMany;
  }

  /** Returns the shape of the arrays of a field; null if the field has no arrays. */
  @Nullable Shape shape(String name) {
    return shapes.get(name);
  }

  /** Returns a field's values, null where it is missing. */
  @Nullable String[] column(int index) {
    @Nullable String[] column = new @Nullable String[rows.size()];
    for (int i = 0; i < column.length; i++) {
      @Nullable String[] row = rows.get(i);
      column[i] = index < row.length ? row[index] : null;
    }
    return column;
  }
}
