package io.idlalayer.jobs.stream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.text.ValueText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the fields of an event, and can write them as a JSON object. The decoder of JSON events
 * reads this object, so that the same rules hold for events from a topic and from a stream, and
 * dead letters are readable. Confined to one thread.
 */
public final class EventWriter {
  // Half of a surrogate pair is written as an escape, so that the decoder refuses it with the name
  // of its field.
  // Numbers are written with as few digits as possible.
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
          .build();

  /**
   * Largest number of bytes of a number, of a truth value, or of the quotation marks and the comma
   * around a text.
   */
  private static final int NUMBER_BYTES = 26;

  /** Largest number of bytes of a character of a text: the bytes of an escape. */
  private static final int CHARACTER_BYTES = 6;

  private final @Nullable String idField;
  private final List<String> names = new ArrayList<>();
  private final List<Object> values = new ArrayList<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private @Nullable MalformedSampleException refusal;

  /**
   * @param idField field with the id of an event, null if events have none
   */
  public EventWriter(@Nullable String idField) {
    this.idField = idField;
  }

  /** Begins the next event. */
  public void begin() {
    names.clear();
    values.clear();
    refusal = null;
  }

  /**
   * Refuses the event, which then becomes a dead letter.
   *
   * @param field field that is wrong
   */
  public void refuse(String field, String reason) {
    if (refusal == null) {
      refusal = new MalformedSampleException(field, reason);
    }
  }

  /**
   * Adds a field. If the class of the value is not supported, the event is refused.
   *
   * @param value a number, text, truth value, date or time, or an array or collection of these;
   *     null if the event does not have the field
   */
  public void field(String name, @Nullable Object value) {
    if (value != null) {
      names.add(name);
      values.add(value);
    }
  }

  /** Returns the names of the event's fields. The list is valid until the next event begins. */
  public List<String> names() {
    return names;
  }

  /** Returns the values of the event's fields, in the order of their names. */
  public List<Object> values() {
    return values;
  }

  /** Returns the id of the event, "" if it has none. */
  String id() {
    int at = idField == null ? -1 : names.lastIndexOf(idField);
    String text = at < 0 ? null : ValueText.of(values.get(at));
    return text == null ? "" : text;
  }

  /**
   * Returns why the event is refused; null if it is not refused. Must be called after {@link
   * #json}.
   */
  @Nullable MalformedSampleException refusal() {
    return refusal;
  }

  /** Returns an upper bound of the number of bytes of the event as JSON. */
  long bytesAtMost() {
    long most = 2;
    for (int i = 0; i < names.size(); i++) {
      most += textBytes(names.get(i)) + bytesAtMost(values.get(i));
    }
    return most;
  }

  private static long bytesAtMost(Object value) {
    if (value instanceof double[] numbers) {
      return 2 + (long) numbers.length * NUMBER_BYTES;
    }
    if (value instanceof Object[] elements) {
      return bytesAtMost(Arrays.asList(elements));
    }
    if (value instanceof Collection<?> elements) {
      long most = 2;
      for (Object each : elements) {
        most += each == null ? NUMBER_BYTES : bytesAtMost(each);
      }
      return most;
    }
    boolean number =
        value instanceof Double
            || value instanceof Long
            || value instanceof Integer
            || value instanceof Float;
    return number ? NUMBER_BYTES : textBytes(String.valueOf(ValueText.of(value)));
  }

  private static long textBytes(CharSequence text) {
    return NUMBER_BYTES + (long) text.length() * CHARACTER_BYTES;
  }

  /** Writes the event as JSON. */
  public byte[] json() {
    bytes.reset();
    try (JsonGenerator to = JSON.createGenerator(bytes)) {
      to.writeStartObject();
      for (int i = 0; i < names.size(); i++) {
        to.writeFieldName(names.get(i));
        write(to, names.get(i), values.get(i));
      }
      to.writeEndObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private void write(JsonGenerator to, String name, Object value) throws IOException {
    if (value instanceof Collection<?> elements) {
      to.writeStartArray();
      for (Object each : elements) {
        element(to, name, each);
      }
      to.writeEndArray();
    } else if (value.getClass().isArray()) {
      to.writeStartArray();
      int length = Array.getLength(value);
      for (int i = 0; i < length; i++) {
        element(to, name, Array.get(value, i));
      }
      to.writeEndArray();
    } else {
      scalar(to, name, value);
    }
  }

  private void element(JsonGenerator to, String name, @Nullable Object value) throws IOException {
    if (value == null) {
      to.writeNull();
    } else {
      scalar(to, name, value);
    }
  }

  private void scalar(JsonGenerator to, String name, Object value) throws IOException {
    if (value instanceof Double number) {
      to.writeNumber(number);
    } else if (value instanceof Long number) {
      to.writeNumber(number);
    } else if (value instanceof Integer number) {
      to.writeNumber(number);
    } else if (value instanceof Float number) {
      to.writeNumber(number);
    } else if (value instanceof BigDecimal || value instanceof BigInteger) {
      to.writeNumber(ValueText.of(value));
    } else if (value instanceof Short || value instanceof Byte) {
      to.writeNumber(((Number) value).intValue());
    } else if (value instanceof Boolean truth) {
      to.writeBoolean(truth);
    } else {
      String text = ValueText.of(value);
      if (text == null) {
        refuse(
            name,
            "a value of type %s; a field is a number, text, truth value, date or time, or a list of these"
                .formatted(value.getClass().getName()));
      }
      to.writeString(text);
    }
  }
}
