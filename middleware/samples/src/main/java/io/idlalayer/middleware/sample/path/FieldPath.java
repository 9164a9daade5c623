package io.idlalayer.middleware.sample.path;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The path to a field inside an event, such as {@code user.geo.country}, {@code items[0].price} or
 * {@code attributes["screen.width"]}: names of fields or of keys of a map after dots, positions in
 * arrays from 0 in brackets, and names in brackets and quotation marks, which are read literally,
 * except that a backslash escapes a quotation mark or another backslash.
 *
 * @param steps at least one step; the first step is a name
 */
public record FieldPath(List<Step> steps) {
  /** Largest number of steps of a path. */
  public static final int STEPS_MAX = 64;

  private static final int DIGITS_MAX = 9;

  public FieldPath {
    steps = List.copyOf(steps);
  }

  /** One step into an object or array. */
  public sealed interface Step {
    /** A step to the field of an object, or to the value of a key of a map. */
    record Name(String name) implements Step {}

    /**
     * A step to an element of an array.
     *
     * @param index at least 0
     */
    record Position(int index) implements Step {}
  }

  /**
   * Returns the path in a field's name in the application file; null if the name is a plain name or
   * has not the form of a path.
   */
  public static @Nullable FieldPath of(String name) {
    if (name.indexOf('.') < 0 && name.indexOf('[') < 0) {
      return null;
    }
    List<Step> steps = new ArrayList<>();
    int at = 0;
    while (at < name.length()) {
      boolean first = steps.isEmpty();
      char c = name.charAt(at);
      int end;
      if (c == '[') {
        end = bracket(name, at, steps);
      } else if (first || c == '.') {
        end = named(name, first ? at : at + 1, steps);
      } else {
        return null;
      }
      if (end < 0 || steps.size() > STEPS_MAX) {
        return null;
      }
      at = end;
    }
    boolean plain = steps.size() < 2 && !quoted(name);
    return plain || steps.get(0) instanceof Step.Position ? null : new FieldPath(steps);
  }

  private static boolean quoted(String name) {
    return name.startsWith("[");
  }

  /**
   * Reads a name up to the next dot or bracket; returns the index of its end, -1 if the name is
   * empty.
   */
  private static int named(String name, int from, List<Step> steps) {
    int end = from;
    while (end < name.length() && ".[]\"".indexOf(name.charAt(end)) < 0) {
      end++;
    }
    if (end == from) {
      return -1;
    }
    steps.add(new Step.Name(name.substring(from, end)));
    return end;
  }

  /** Reads a step in brackets; returns the index of its end, -1 if there is no such step. */
  private static int bracket(String name, int from, List<Step> steps) {
    if (from + 1 < name.length() && name.charAt(from + 1) == '"') {
      return quotation(name, from + 2, steps);
    }
    int end = name.indexOf(']', from);
    String digits = end < 0 ? "" : name.substring(from + 1, end);
    if (digits.isEmpty()
        || digits.length() > DIGITS_MAX
        || !digits.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
      return -1;
    }
    steps.add(new Step.Position(Integer.parseInt(digits)));
    return end + 1;
  }

  private static int quotation(String name, int from, List<Step> steps) {
    StringBuilder text = new StringBuilder();
    for (int at = from; at < name.length(); at++) {
      char c = name.charAt(at);
      if (c == '"') {
        steps.add(new Step.Name(text.toString()));
        return at + 1 < name.length() && name.charAt(at + 1) == ']' ? at + 2 : -1;
      }
      if (c == '\\') {
        at++;
        if (at == name.length()) {
          return -1;
        }
      }
      text.append(name.charAt(at));
    }
    return -1;
  }

  /** Returns the text of the first steps of this path. */
  public String beginning(int count) {
    StringBuilder text = new StringBuilder();
    for (Step step : steps.subList(0, count)) {
      if (step instanceof Step.Position position) {
        text.append('[').append(position.index()).append(']');
        continue;
      }
      String name = ((Step.Name) step).name();
      boolean plain = !name.isEmpty() && name.chars().noneMatch(c -> ".[]\"".indexOf(c) >= 0);
      if (plain) {
        text.append(text.length() == 0 ? "" : ".").append(name);
      } else {
        text.append("[\"").append(name.replace("\\", "\\\\").replace("\"", "\\\"")).append("\"]");
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return beginning(steps.size());
  }
}
