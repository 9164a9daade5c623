package io.idlalayer.middleware.sample.format;

import com.fasterxml.jackson.core.io.NumberInput;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.EventDraft.Field;
import io.idlalayer.middleware.sample.format.EventDraft.Role;
import io.idlalayer.middleware.sample.path.PathTree;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.ValueText;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes events whose fields are values already, such as the rows of a table. It creates no
 * objects except the sample. Unusual and malformed events are written as JSON and passed to {@link
 * JsonSampleDecoder}. For all other events, both decoders return equal samples. Confined to one
 * thread.
 */
public final class PlainFieldDecoder {
  private final EventDraft draft;
  private final Map<String, Field> byName = new HashMap<>();
  private final boolean[] seen;
  private final boolean usable;

  /** Creates a decoder of whole events, or of parts of them. */
  public PlainFieldDecoder(SampleSchema schema, EventParts parts) {
    draft = new EventDraft(schema, parts);
    draft.fields().forEach(field -> byName.put(field.name(), field));
    usable = !draft.severalRoles() && !new PathTree(schema.fieldNames()).anyPath();
    seen = new boolean[draft.fields().size()];
  }

  /**
   * Decodes an event, or returns null if {@link JsonSampleDecoder} must decode it.
   *
   * @param names names of its fields
   * @param fields values of these fields in the same order: numbers, texts, truth values, dates and
   *     times, collections and arrays of these, and arrays of double or float
   */
  public @Nullable Sample decode(List<String> names, List<?> fields) {
    if (!usable) {
      return null;
    }
    draft.begin();
    Arrays.fill(seen, false);
    try {
      for (int i = 0; i < names.size(); i++) {
        Field field = byName.get(names.get(i));
        if (field != null && !takes(field, fields.get(i))) {
          return null;
        }
      }
      for (Field field : draft.fields()) {
        if (field.role() == Role.DENSE && !seen[field.number()]) {
          draft.absent(field);
        }
      }
      return draft.sample();
    } catch (MalformedSampleException refused) {
      // The other decoder finds the same fault, or an earlier one.
      return null;
    }
  }

  private boolean takes(Field field, @Nullable Object value) throws MalformedSampleException {
    if (value == null || seen[field.number()]) {
      return false;
    }
    seen[field.number()] = true;
    return switch (field.role()) {
      case DENSE -> feature(draft.dense(field), value);
      case IDS -> {
        Collection<?> several = elements(value);
        yield several == null ? text(field, value) : ids(field, several);
      }
      default -> text(field, value);
    };
  }

  private static @Nullable Collection<?> elements(Object value) {
    if (value instanceof Object[] array) {
      return Arrays.asList(array);
    }
    return value instanceof Collection<?> several ? several : null;
  }

  private boolean feature(DenseField field, Object value) throws MalformedSampleException {
    int width = field.feature().width();
    if (value instanceof double[] numbers) {
      if (numbers.length != width) {
        return false;
      }
      for (int i = 0; i < width; i++) {
        if (!number(field, i, numbers[i])) {
          return false;
        }
      }
      return true;
    }
    if (value instanceof float[] numbers) {
      if (numbers.length != width) {
        return false;
      }
      for (int i = 0; i < width; i++) {
        if (!element(field, i, numbers[i])) {
          return false;
        }
      }
      return true;
    }
    Collection<?> elements = elements(value);
    if (elements != null) {
      if (elements.size() != width) {
        return false;
      }
      int at = 0;
      for (Object each : elements) {
        if (!element(field, at++, each)) {
          return false;
        }
      }
      return true;
    }
    return width == 1 && element(field, 0, value);
  }

  private boolean element(DenseField field, int at, @Nullable Object value)
      throws MalformedSampleException {
    if (value instanceof Double number) {
      return number(field, at, number);
    }
    if (value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte) {
      return number(field, at, ((Number) value).doubleValue());
    }
    String text = value == null ? null : ValueText.of(value);
    if (text == null) {
      return false;
    }
    if (value instanceof Float || value instanceof BigDecimal || value instanceof BigInteger) {
      // A number in decimal digits is the nearest double.
      return !text.endsWith("N") && !text.endsWith("y") && number(field, at, parsed(text));
    }
    if (value instanceof Boolean truth) {
      return !field.isTime() && number(field, at, truth ? 1 : 0);
    }
    EventEncoding.checkCharacters(field.feature().name(), text);
    field.text(text, at, draft.dense());
    return true;
  }

  private static double parsed(String text) {
    return NumberInput.parseDouble(text, true);
  }

  private boolean number(DenseField field, int at, double number) throws MalformedSampleException {
    if (!Double.isFinite(number)) {
      return false;
    }
    if (field.plain()) {
      return field.plainNumber(number, at, draft.dense());
    }
    field.number(number, at, draft.dense());
    return true;
  }

  private boolean ids(Field field, Collection<?> several) throws MalformedSampleException {
    for (Object each : several) {
      if (each != null && !text(field, each)) {
        return false;
      }
    }
    return true;
  }

  private boolean text(Field field, Object value) throws MalformedSampleException {
    String text = ValueText.of(value);
    if (text == null) {
      return false;
    }
    EventEncoding.checkCharacters(field.name(), text);
    draft.text(field, text);
    return true;
  }
}
