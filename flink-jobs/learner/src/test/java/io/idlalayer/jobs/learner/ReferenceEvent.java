package io.idlalayer.jobs.learner;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event as a producer writes it: the JSON text of each field that it has. What the texts mean is
 * written from <i>Formats</i>.
 *
 * @param id the event's own id, "" if it has none
 * @param features texts of {@code price}, {@code age} and {@code site}
 * @param label text of its label, null if it has none
 * @param weight text of its weight, null if it has none
 * @param broken whether its text ends too early
 */
record ReferenceEvent(
    String id,
    Map<String, String> features,
    @Nullable String label,
    @Nullable String weight,
    boolean broken) {
  /** Price of samples that make trainings fail. */
  static final double CULPRIT = 7;

  /** The text of the event. */
  String json() {
    List<String> members = new ArrayList<>();
    if (!id.isEmpty()) {
      members.add("\"id\":\"" + id + "\"");
    }
    features.forEach((name, text) -> members.add("\"" + name + "\":" + text));
    if (label != null) {
      members.add("\"y\":" + label);
    }
    if (weight != null) {
      members.add("\"w\":" + weight);
    }
    return "{" + String.join(",", members) + (broken ? "" : "}");
  }

  /** Whether the event has a value of a feature. */
  boolean has(String name) {
    String text = features.get(name);
    return text != null && !missing(text) && !(name.equals("age") && noAge(text));
  }

  boolean hasAnyFeature() {
    return has("price") || has("age") || has("site");
  }

  boolean hasLabel() {
    return label != null && !missing(label);
  }

  boolean hasWeight() {
    return weight != null && !missing(weight);
  }

  /** The value of a feature that the event has: a number in 64 bits, or a text. */
  Object value(String name) {
    String text = features.get(name);
    return name.equals("site") ? unquoted(text) : number(text);
  }

  /** The value of the label that the event has: a target, or the number of the class. */
  double labelValue() {
    return switch (unquoted(label)) {
      case "true" -> 1;
      case "false" -> 0;
      default -> number(label);
    };
  }

  /** The weight that the event has. */
  double weightValue() {
    return number(weight);
  }

  private static boolean missing(String text) {
    return text.equals("null") || unquoted(text).isEmpty();
  }

  private static boolean noAge(String text) {
    return unquoted(text).equals(ReferenceForm.NO_AGE);
  }

  private static double number(@Nullable String text) {
    return new BigDecimal(unquoted(text).strip()).doubleValue();
  }

  private static String unquoted(@Nullable String text) {
    String all = String.valueOf(text);
    return all.startsWith("\"") ? all.substring(1, all.length() - 1) : all;
  }
}
