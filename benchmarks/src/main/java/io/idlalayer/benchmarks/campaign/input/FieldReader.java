package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.InputSettings.Missing;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the fields of an event: numbers, time stamps, texts, labels and ids. */
final class FieldReader {
  private static final BigDecimal MOST = new BigDecimal(Float.toString(Float.MAX_VALUE));
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?");
  private static final String ZONE = "(Z|[+-]\\d\\d(:?\\d\\d)?)?";

  /** The forms of time stamps that the campaign writes; the page on formats has some more. */
  private static final Pattern TIME =
      Pattern.compile(
          "\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?"
              + ZONE
              + ")?|\\d{8}T\\d{6}Z|\\d{4}/\\d\\d/\\d\\d \\d\\d:\\d\\d"
              + "|\\d\\d\\.\\d\\d\\.\\d{4} \\d\\d:\\d\\d|[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4}"
              + " \\d\\d:\\d\\d:\\d\\d [+-]\\d{4}|\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d"
              + " [+-]\\d{4}|1\\d{9}|1\\d{12}");

  /** The values of an event by the names of its fields. */
  interface Values {
    /** Returns the text of a field; "" or null if it is missing. */
    @Nullable String of(String name);
  }

  private final InputSettings settings;

  FieldReader(InputSettings settings) {
    this.settings = settings;
  }

  Reading read(Values values) throws RefusedEvent {
    String id = settings.id().isEmpty() ? "" : present(values.of(settings.id()));
    boolean none =
        settings.features().stream().allMatch(name -> present(values.of(name)).isEmpty());
    String label = label(present(values.of(settings.label())));
    if (none && !id.isEmpty() && !label.isEmpty()) {
      return Reading.of(id, "", label);
    }
    List<String> features = new ArrayList<>();
    for (String name : settings.numbers()) {
      features.add(number(present(values.of(name))));
    }
    for (String name : settings.times()) {
      features.add(time(present(values.of(name))));
    }
    for (String name : settings.categories()) {
      features.add(present(values.of(name)));
    }
    return Reading.of(id, String.join("\u0001", features), label);
  }

  private static String present(@Nullable String text) {
    return text == null ? "" : text;
  }

  private String missing() throws RefusedEvent {
    if (settings.missing() == Missing.REFUSE) {
      throw new RefusedEvent(Refusal.MISSING);
    }
    return settings.missing() == Missing.ZERO && !settings.indicator() ? "0" : "missing";
  }

  private String number(String text) throws RefusedEvent {
    if (text.isEmpty() || settings.missingTexts().contains(text)) {
      return missing();
    }
    return canonical(notated(text.strip()));
  }

  /** Returns a number of CSV with the separators of the settings as one with a point. */
  private String notated(String text) throws RefusedEvent {
    boolean plain = settings.decimal().equals(".") && settings.thousands().isEmpty();
    if (settings.json() || plain || isBoolean(text)) {
      return text;
    }
    String rest = text;
    String thousands = Pattern.quote(settings.thousands());
    if (settings.thousands().equals(" ")) {
      thousands = "[ \\u00a0\\u202f\\u2009]";
    } else if (settings.thousands().equals("'")) {
      thousands = "['\\u2019]";
    }
    String decimal = Pattern.quote(settings.decimal());
    String fraction = "(" + decimal + "\\d*)?([eE][+-]?\\d+)?";
    boolean grouped =
        !settings.thousands().isEmpty()
            && rest.matches("[+-]?[1-9]\\d{0,2}(" + thousands + "\\d{3})+" + fraction);
    boolean alone = rest.matches("[+-]?(\\d+" + fraction + "|" + decimal + "\\d+([eE][+-]?\\d+)?)");
    if (!grouped && !alone) {
      throw new RefusedEvent(Refusal.NO_NUMBER);
    }
    return (grouped ? rest.replaceAll(thousands, "") : rest).replace(settings.decimal(), ".");
  }

  private static boolean isBoolean(String text) {
    return switch (text) {
      case "true", "True", "TRUE", "false", "False", "FALSE" -> true;
      default -> false;
    };
  }

  private static String canonical(String text) throws RefusedEvent {
    if (isBoolean(text)) {
      return text.startsWith("t") || text.startsWith("T") ? "1" : "0";
    }
    if (!NUMBER.matcher(text).matches()) {
      throw new RefusedEvent(Refusal.NO_NUMBER);
    }
    BigDecimal value = new BigDecimal(text);
    if (value.abs().compareTo(MOST) > 0) {
      throw new RefusedEvent(Refusal.NO_NUMBER);
    }
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toString();
  }

  private String time(String text) throws RefusedEvent {
    if (text.isEmpty() || settings.missingTexts().contains(text)) {
      return missing();
    }
    if (!TIME.matcher(text.strip()).matches()) {
      throw new RefusedEvent(Refusal.NO_TIME);
    }
    return text.strip();
  }

  private String label(String text) throws RefusedEvent {
    if (text.isEmpty()) {
      return "";
    }
    if (settings.regression()) {
      return canonical(notated(text.strip()));
    }
    if (settings.classes().contains(text)) {
      return text;
    }
    String stripped = text.strip();
    if (settings.classes().contains(stripped)) {
      return stripped;
    }
    List<String> equal = equalInNumber(stripped);
    if (equal.isEmpty()) {
      throw new RefusedEvent(Refusal.NO_CLASS);
    }
    if (equal.size() > 1) {
      throw new RefusedEvent(Refusal.SEVERAL_CLASSES);
    }
    return equal.get(0);
  }

  private List<String> equalInNumber(String label) {
    List<String> equal = new ArrayList<>();
    try {
      String number = canonical(label);
      for (String name : settings.classes()) {
        if (NUMBER.matcher(name).matches() && canonical(name).equals(number)) {
          equal.add(name);
        }
      }
    } catch (RefusedEvent noNumber) {
      return List.of();
    }
    return equal;
  }
}
