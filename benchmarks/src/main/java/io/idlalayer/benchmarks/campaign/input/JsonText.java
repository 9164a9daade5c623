package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.Draft.Spoil;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** Writes events as JSON objects, with fields in any order and more of them than are declared. */
final class JsonText implements EventText {
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");
  private static final int LEVELS = 1_002;
  private static final int DIGITS = 1_001;
  private static final List<String> MORE =
      List.of(
          "\"more\": {\"deep\": [1, {\"x\": null}]}",
          "\"more\": [\"x\", \"]\"]",
          "\"more\": 1e300",
          "\"more\": \"}\"",
          "\"more\": 1, \"more\": 2");

  private final InputSettings settings;
  private final Theme theme;
  private final SplittableRandom random;
  private final double textShare;
  private final String gap;
  private boolean escapes;

  JsonText(InputSettings settings, Theme theme, SplittableRandom random) {
    this.settings = settings;
    this.theme = theme;
    this.random = random;
    textShare = List.of(0.0, 0.2, 1.0).get(random.nextInt(3));
    gap = random.nextBoolean() ? "" : " ";
  }

  @Override
  public String header() {
    return "";
  }

  @Override
  public String event(Draft draft) {
    escapes = draft.spoil() != Spoil.LATIN_1;
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, String> field : draft.values().entrySet()) {
      add(field.getKey(), field.getValue(), fields);
    }
    if (random.nextInt(6) == 0 && theme != Theme.FIELD_CASE && theme != Theme.NESTED) {
      fields.add(MORE.get(random.nextInt(MORE.size())));
    }
    String label = string(settings.label()) + ":";
    switch (draft.spoil()) {
      case BARE_NAN -> fields.add("\"other\": NaN");
      case LEADING_ZERO -> fields.add("\"other\": 01");
      case LEVELS -> fields.add("\"other\": " + "[".repeat(LEVELS) + "]".repeat(LEVELS));
      case DIGITS -> fields.set(0, string(settings.numbers().get(0)) + ": " + "1".repeat(DIGITS));
      case LABEL_TWICE -> {
        fields.removeIf(field -> field.startsWith(label));
        String value = settings.regression() ? "1" : settings.classes().get(0);
        fields.add(label + " " + string(value));
        fields.add(label + " " + string(value));
      }
      case OBJECT_FOR_LABEL -> {
        fields.removeIf(field -> field.startsWith(label));
        fields.add(label + " {\"name\": 1}");
      }
      default -> {}
    }
    EventDraw.shuffle(fields, random);
    String text = "{" + gap + String.join("," + gap, fields) + gap + "}";
    return spoiled(draft.spoil(), text);
  }

  private static String spoiled(Spoil spoil, String text) {
    return switch (spoil) {
      case TRUNCATED -> text.substring(0, text.length() - 2);
      case SINGLE_QUOTES -> text.replace('"', '\'');
      case COMMA_AT_END -> text.substring(0, text.length() - 1) + ",}";
      case SECOND_OBJECT -> text + " {}";
      default -> text;
    };
  }

  private void add(String field, String value, List<String> fields) {
    if (value.isEmpty()) {
      int form = random.nextInt(3);
      if (form > 0) {
        fields.add(string(field) + ":" + gap + (form == 1 ? "null" : "\"\""));
      }
      return;
    }
    boolean category = settings.categories().contains(field);
    if (category && theme == Theme.NESTED) {
      fields.add("\"user\":" + gap + "{" + string(field) + ": " + string(value) + "}");
    } else if (category && theme == Theme.FIELD_CASE) {
      fields.add("\"Site\":" + gap + string(value));
    } else {
      boolean bare =
          !category
              && !settings.id().equals(field)
              && (NUMBER.matcher(value).matches() || value.equals("true") || value.equals("false"))
              && random.nextDouble() >= textShare;
      String text = bare ? value : string(value);
      boolean array = settings.numbers().contains(field) && random.nextInt(12) == 0;
      fields.add(string(field) + ":" + gap + (array ? "[" + text + "]" : text));
    }
  }

  private String string(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean escaped = escapes && c > '~' && random.nextInt(3) == 0;
      if (escaped) {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        String plain = InputSettings.text(String.valueOf(c));
        quoted.append(plain, 1, plain.length() - 1);
      }
    }
    return quoted.append('"').toString();
  }
}
