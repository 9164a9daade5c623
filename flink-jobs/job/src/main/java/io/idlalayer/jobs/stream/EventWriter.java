package io.idlalayer.jobs.stream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.idlalayer.middleware.sample.MalformedSampleException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.Temporal;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Writes the fields of an event as a JSON object, so that the decoder of JSON events reads them:
 * one set of rules for all events, and dead letters that can be read. Confined to one thread.
 */
public final class EventWriter {
  // Half of a surrogate pair is written as an escape, and the decoder refuses it by its field.
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** Largest scale with which a number is written in digits alone. */
  private static final int PLAIN_SCALE_MAX = 100;

  private final @Nullable String idField;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private @Nullable JsonGenerator json;
  private String id = "";
  private @Nullable MalformedSampleException refusal;

  /**
   * @param idField field with the id of an event, null if events have none
   */
  public EventWriter(@Nullable String idField) {
    this.idField = idField;
  }

  /** Begins the next event. */
  public void begin() {
    bytes.reset();
    id = "";
    refusal = null;
    try {
      json = JSON.createGenerator(bytes);
      json.writeStartObject();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** Returns the event with the fields that were written. */
  public byte[] end() {
    try {
      JsonGenerator open = begun();
      open.writeEndObject();
      open.close();
      json = null;
      return bytes.toByteArray();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /** Returns the id of the event, "" if it has none. */
  String id() {
    return id;
  }

  /** Returns why the event is refused, null if it is not. */
  @Nullable MalformedSampleException refusal() {
    return refusal;
  }

  /**
   * Refuses the event: it becomes a dead letter.
   *
   * @param field what of the event is wrong
   */
  public void refuse(String field, String reason) {
    if (refusal == null) {
      refusal = new MalformedSampleException(field, reason);
    }
  }

  private JsonGenerator begun() {
    JsonGenerator open = json;
    if (open == null) {
      throw new IllegalStateException("no event was begun");
    }
    return open;
  }

  /**
   * Writes a field. With a value of another class the event is refused.
   *
   * @param value a number, text, truth value, date or time, or an array or collection of these;
   *     null if the event does not have the field
   */
  public void field(String name, @Nullable Object value) {
    if (value == null) {
      return;
    }
    try {
      JsonGenerator open = begun();
      open.writeFieldName(name);
      if (value instanceof Collection<?> values) {
        open.writeStartArray();
        for (Object each : values) {
          element(open, name, each);
        }
        open.writeEndArray();
      } else if (value.getClass().isArray()) {
        open.writeStartArray();
        int length = Array.getLength(value);
        for (int i = 0; i < length; i++) {
          element(open, name, Array.get(value, i));
        }
        open.writeEndArray();
      } else {
        scalar(open, name, value);
        if (name.equals(idField)) {
          id = text(value);
        }
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
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
      to.writeNumber(text(value));
    } else if (value instanceof Short || value instanceof Byte) {
      to.writeNumber(((Number) value).intValue());
    } else if (value instanceof Boolean truth) {
      to.writeBoolean(truth);
    } else if (value instanceof CharSequence
        || value instanceof Temporal
        || value instanceof Character
        || value instanceof Enum<?>) {
      to.writeString(text(value));
    } else {
      to.writeNull();
      refuse(
          name,
          "a value of %s; a field is a number, text, truth value, date or time, or a list of these"
              .formatted(value.getClass().getName()));
    }
  }

  /** Returns a value as it is written, without quotation marks. */
  private static String text(Object value) {
    return value instanceof BigDecimal number && Math.abs(number.scale()) <= PLAIN_SCALE_MAX
        ? number.toPlainString()
        : String.valueOf(value);
  }
}
