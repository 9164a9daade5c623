package io.idlalayer.middleware.sample.path;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.text.Shown;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of an event of a nested format at the places of its declared fields. The values become
 * a flat JSON object with the declared names, so that only one decoder needs the rules for values.
 * Reused from event to event; confined to one thread.
 */
public final class FoundFields {
  private static final String HEX = "0123456789abcdef";
  private static final int SIXTEEN = 16;

  private final PathTree tree;
  private final Map<String, Integer> slots = new HashMap<>();
  private final String[] keys;
  private final @Nullable String[] values;
  private final boolean[] literal;
  private final Kind[] kinds;
  private final StringBuilder event = new StringBuilder();

  /** The kinds of values that can be found at a place of an event. */
  public enum Kind {
    /** Nothing: the event does not have this place. */
    NONE,
    NULL,
    SCALAR,
    ARRAY,
    OBJECT
  }

  public FoundFields(PathTree tree) {
    this.tree = tree;
    List<String> names = tree.names();
    keys = new String[names.size()];
    values = new @Nullable String[names.size()];
    literal = new boolean[names.size()];
    kinds = new Kind[tree.size()];
    Arrays.fill(kinds, Kind.NONE);
    for (int i = 0; i < keys.length; i++) {
      StringBuilder key = new StringBuilder();
      text(key, names.get(i));
      keys[i] = key.append(':').toString();
      slots.put(names.get(i), i);
    }
  }

  /** Forgets the previous event. */
  public void clear() {
    Arrays.fill(values, null);
    Arrays.fill(literal, false);
    Arrays.fill(kinds, Kind.NONE);
  }

  /**
   * Records the kind of value at a place.
   *
   * @param name name of the field or element at this place, for a message
   * @throws MalformedSampleException if the place was recorded before, because the event has a
   *     field twice
   */
  public void visit(PathTree.Node node, Kind kind, String name) throws MalformedSampleException {
    if (kinds[node.number] != Kind.NONE) {
      throw new MalformedSampleException(name, "named twice");
    }
    kinds[node.number] = kind;
  }

  /** Returns whether the event has a value at a place. */
  public boolean visited(PathTree.Node node) {
    return kinds[node.number] != Kind.NONE;
  }

  /**
   * Sets the value of the fields that are at a place.
   *
   * @param json the value as JSON
   */
  public void set(PathTree.Node node, String json) {
    int whole = node.literal();
    if (whole >= 0) {
      values[whole] = json;
      literal[whole] = true;
    }
    for (int slot : node.slots()) {
      if (!literal[slot]) {
        values[slot] = json;
      }
    }
  }

  /**
   * Returns a JSON object with the found fields, in UTF-8.
   *
   * @throws MalformedSampleException if a path leads through a value that is not of the expected
   *     kind
   */
  public byte[] event() throws MalformedSampleException {
    event.setLength(0);
    event.append('{');
    for (int slot = 0; slot < keys.length; slot++) {
      String value = values[slot];
      if (value != null) {
        event.append(event.length() == 1 ? "" : ",").append(keys[slot]).append(value);
      } else {
        check(slot);
      }
    }
    return event.append('}').toString().getBytes(StandardCharsets.UTF_8);
  }

  private void check(int slot) throws MalformedSampleException {
    List<PathTree.Node> way = tree.way(slot);
    for (int i = 0; i + 1 < way.size(); i++) {
      Kind kind = kinds[way.get(i).number];
      if (kind == Kind.NONE || kind == Kind.NULL) {
        return;
      }
      FieldPath path = path(slot);
      boolean position = path.steps().get(i + 1) instanceof FieldPath.Step.Position;
      if (kind != (position ? Kind.ARRAY : Kind.OBJECT)) {
        throw new MalformedSampleException(tree.names().get(slot), wrong(path, i + 1, kind));
      }
    }
  }

  private static String wrong(FieldPath path, int steps, Kind kind) {
    String at = Shown.of(path.beginning(steps));
    if (kind == Kind.SCALAR) {
      return at + " is a single value, but the path leads into it";
    }
    return kind == Kind.ARRAY
        ? at + " is an array; a position such as [0] must follow in the path"
        : at + " is an object; a position leads into arrays only";
  }

  private FieldPath path(int slot) {
    FieldPath path = tree.path(slot);
    if (path == null) {
      throw new IllegalArgumentException("no path: " + tree.names().get(slot));
    }
    return path;
  }

  /**
   * Returns an exception with a more exact reason if a field with a path is missing: it names the
   * step of the path that the event does not have. Else returns the given exception.
   */
  public MalformedSampleException explained(MalformedSampleException refused) {
    Integer slot = slots.get(refused.field());
    if (slot == null || !String.valueOf(refused.getMessage()).endsWith(": missing")) {
      return refused;
    }
    List<PathTree.Node> way = tree.way(slot);
    int end = 0;
    while (end < way.size() && entered(way.get(end))) {
      end++;
    }
    if (literal[slot] || end == way.size()) {
      return refused;
    }
    boolean isNull = kinds[way.get(end).number] == Kind.NULL;
    FieldPath path = path(slot);
    return new MalformedSampleException(
        refused.field(),
        "missing; the event has "
            + (isNull ? "null at " : "no ")
            + Shown.of(path.beginning(end + 1)));
  }

  private boolean entered(PathTree.Node node) {
    Kind kind = kinds[node.number];
    return kind != Kind.NONE && kind != Kind.NULL;
  }

  /** Appends a text as a JSON string. */
  public static void text(StringBuilder to, String text) {
    to.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        to.append('\\').append(c);
      } else if (c < ' ') {
        to.append("\\u00").append(HEX.charAt(c / SIXTEEN)).append(HEX.charAt(c % SIXTEEN));
      } else {
        to.append(c);
      }
    }
    to.append('"');
  }
}
