package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.EventDraft.Field;
import io.idlalayer.middleware.sample.format.EventDraft.Role;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the events that most producers send: an object of ASCII text without escapes, whose
 * values are numbers, texts, true, false, null and, for features, arrays of these. It reads each
 * byte once, and creates no objects except the sample. All other events, and malformed events, are
 * passed to {@link JsonSampleDecoder}, which also reports what is wrong. For plain events, both
 * decoders return equal samples. Confined to one thread.
 */
final class PlainJsonDecoder {
  private static final int NAME_BYTES_MAX = 256;
  private static final int TEXT_BYTES_MAX = 1 << 16;

  private final EventDraft draft;
  private final List<Field> fields;
  private final byte[][] names;
  private final Map<String, Field> byName = new HashMap<>();
  private final boolean severalRoles;
  private final boolean[] seen;
  private final PlainNumber number = new PlainNumber();

  // The event that is being decoded, and the present position.
  private byte[] bytes = {};
  private int at;
  private int next;

  /**
   * @param draft receives the values of the event
   */
  PlainJsonDecoder(EventDraft draft) {
    this.draft = draft;
    fields = draft.fields();
    names = new byte[fields.size()][];
    for (Field field : fields) {
      names[field.number()] = field.name().getBytes(StandardCharsets.UTF_8);
      byName.put(field.name(), field);
    }
    severalRoles = draft.severalRoles();
    seen = new boolean[fields.size()];
  }

  /** Decodes an event, or returns null if {@link JsonSampleDecoder} must decode it. */
  @Nullable Sample decode(byte[] event) {
    if (severalRoles) {
      return null;
    }
    bytes = event;
    at = 0;
    next = 0;
    draft.begin();
    Arrays.fill(seen, false);
    return object() && complete() ? sample() : null;
  }

  private @Nullable Sample sample() {
    try {
      return draft.sample();
    } catch (MalformedSampleException refused) {
      // The other decoder finds the same.
      return null;
    }
  }

  private boolean complete() {
    for (Field field : fields) {
      if (field.role() == Role.DENSE && !seen[field.number()] && !missing(field)) {
        return false;
      }
    }
    return true;
  }

  private boolean object() {
    if (!takes('{')) {
      return false;
    }
    do {
      if (!member()) {
        return false;
      }
    } while (takes(','));
    if (!takes('}')) {
      return false;
    }
    skipSpace();
    return at == bytes.length;
  }

  private boolean member() {
    skipSpace();
    int start = at + 1;
    int end = endOfText();
    if (end < 0 || end - start > NAME_BYTES_MAX) {
      return false;
    }
    at = end + 1;
    Field field = field(start, end);
    if (!takes(':')) {
      return false;
    }
    skipSpace();
    if (field == null) {
      return skipValue();
    }
    if (seen[field.number()]) {
      return false;
    }
    seen[field.number()] = true;
    return switch (field.role()) {
      case DENSE -> feature(field);
      case IDS -> (at < bytes.length && bytes[at] == '[') ? idList(field) : text(field);
      default -> text(field);
    };
  }

  /**
   * Returns the field with a name. The fields usually come in the same order as in the previous
   * event.
   */
  private @Nullable Field field(int start, int end) {
    if (next < fields.size() && isName(fields.get(next), start, end)) {
      return fields.get(next++);
    }
    Field field = byName.get(ascii(start, end));
    if (field != null) {
      next = field.number() + 1;
    }
    return field;
  }

  private boolean isName(Field field, int start, int end) {
    byte[] name = names[field.number()];
    return Arrays.equals(bytes, start, end, name, 0, name.length);
  }

  private boolean missing(Field field) {
    if (draft.dense(field).needed()) {
      return false;
    }
    try {
      draft.absent(field);
      return true;
    } catch (MalformedSampleException refused) {
      // The other decoder finds the same.
      return false;
    }
  }

  private boolean feature(Field field) {
    DenseField of = draft.dense(field);
    int width = of.feature().width();
    if (at < bytes.length && bytes[at] != '[') {
      return bytes[at] == 'n' ? skips("null") && missing(field) : width == 1 && number(of, 0);
    }
    at++;
    for (int i = 0; i < width; i++) {
      if (i > 0 && !takes(',')) {
        return false;
      }
      skipSpace();
      if (!number(of, i)) {
        return false;
      }
    }
    return takes(']');
  }

  /** Sets an element of a feature to a number, or to 1 or 0 for true and false. */
  private boolean number(DenseField field, int element) {
    double value;
    if (number.read(bytes, at)) {
      at = number.end();
      value = number.value();
    } else if (!field.isTime() && at < bytes.length && (bytes[at] == 't' || bytes[at] == 'f')) {
      value = bytes[at] == 't' ? 1 : 0;
      if (!skips(value == 1 ? "true" : "false")) {
        return false;
      }
    } else {
      return false;
    }
    if (field.plain()) {
      return field.plainNumber(value, element, draft.dense());
    }
    try {
      field.number(value, element, draft.dense());
      return true;
    } catch (MalformedSampleException refused) {
      // The other decoder finds the same, and what comes before it.
      return false;
    }
  }

  private boolean idList(Field field) {
    at++;
    if (takes(']')) {
      return true;
    }
    do {
      skipSpace();
      if (!text(field)) {
        return false;
      }
    } while (takes(','));
    return takes(']');
  }

  private boolean text(Field field) {
    int start = at;
    if (!skipValue()) {
      return false;
    }
    String text;
    if (bytes[start] == '"') {
      text = ascii(start + 1, at - 1);
    } else {
      text = bytes[start] == 'n' ? "" : ascii(start, at);
    }
    try {
      draft.text(field, text);
      return true;
    } catch (MalformedSampleException refused) {
      // The other decoder finds the same, and what comes before it.
      return false;
    }
  }

  private String ascii(int start, int end) {
    return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
  }

  /** Skips a value that is neither an array nor an object. */
  private boolean skipValue() {
    if (at == bytes.length) {
      return false;
    }
    switch (bytes[at]) {
      case '"' -> {
        int end = endOfText();
        at = end + 1;
        return end >= 0;
      }
      case 't' -> {
        return skips("true");
      }
      case 'f' -> {
        return skips("false");
      }
      case 'n' -> {
        return skips("null");
      }
      default -> {
        boolean isNumber = number.read(bytes, at);
        at = number.end();
        return isNumber;
      }
    }
  }

  private boolean skips(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (at == bytes.length || bytes[at++] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the index of the closing quote of the text that begins at the present position; -1 if
   * the text is not plain.
   */
  private int endOfText() {
    if (at == bytes.length || bytes[at] != '"') {
      return -1;
    }
    int most = Math.min(bytes.length, at + TEXT_BYTES_MAX);
    for (int end = at + 1; end < most; end++) {
      byte b = bytes[end];
      if (b == '"') {
        return end;
      }
      // A byte that is not ASCII is negative.
      if (b < ' ' || b == '\\') {
        return -1;
      }
    }
    return -1;
  }

  private boolean takes(char expected) {
    skipSpace();
    boolean there = at < bytes.length && bytes[at] == expected;
    at += there ? 1 : 0;
    return there;
  }

  private void skipSpace() {
    while (at < bytes.length
        && (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t')) {
      at++;
    }
  }
}
