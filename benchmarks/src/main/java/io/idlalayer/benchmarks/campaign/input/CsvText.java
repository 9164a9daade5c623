package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.Draft.Spoil;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** Writes events as rows of CSV, with quotes, spaces and spellings of numbers as they are drawn. */
final class CsvText implements EventText {
  private static final Pattern PLAIN = Pattern.compile("-?\\d+(\\.\\d+)?");

  private final InputSettings settings;
  private final SplittableRandom random;
  private final double quotedShare;

  /**
   * @param plain whether nothing is in quotes that needs none
   */
  CsvText(InputSettings settings, SplittableRandom random, boolean plain) {
    this.settings = settings;
    this.random = random;
    quotedShare = plain ? 0 : List.of(0.0, 0.2, 1.0).get(random.nextInt(3));
  }

  @Override
  public String header() {
    List<String> names = new ArrayList<>();
    boolean spaces = settings.delimiter().strip().equals(settings.delimiter());
    for (String column : settings.columns()) {
      String name = field(column);
      boolean padded = spaces && !name.startsWith("\"") && random.nextInt(4) == 0;
      names.add(padded ? " " + name + " " : name);
    }
    return String.join(settings.delimiter(), names);
  }

  @Override
  public String event(Draft draft) {
    List<String> fields = new ArrayList<>();
    for (String column : settings.columns()) {
      String value = column.isEmpty() ? "" : draft.values().getOrDefault(column, "");
      if (column.startsWith("unused")) {
        value = random.nextBoolean() ? "" : "whatever";
      }
      boolean number = settings.numbers().contains(column);
      boolean target = settings.regression() && column.equals(settings.label());
      boolean spelled = (number || target) && !column.equals(draft.asIs());
      fields.add(field(spelled ? spelled(value) : value));
    }
    spoil(draft.spoil(), fields);
    return String.join(settings.delimiter(), fields);
  }

  private void spoil(Spoil spoil, List<String> fields) {
    int site = settings.columns().indexOf(settings.categories().get(0));
    switch (spoil) {
      case FIELD_TOO_FEW -> fields.remove(fields.size() - 1);
      case FIELD_TOO_MUCH -> fields.add("more");
      case OPEN_QUOTE -> fields.set(site, "\"A");
      case TEXT_AFTER_QUOTE -> fields.set(site, "\"A\"B");
      default -> {}
    }
  }

  private String field(String text) {
    boolean needed =
        text.startsWith("\"")
            || text.chars().anyMatch(c -> c == '\n' || c == '\r')
            || settings.delimiter().chars().anyMatch(c -> text.indexOf(c) >= 0);
    boolean quoted = needed || random.nextDouble() < quotedShare;
    return quoted ? "\"" + text.replace("\"", "\"\"") + "\"" : text;
  }

  private String spelled(String value) {
    if (!PLAIN.matcher(value).matches() || settings.missingTexts().contains(value)) {
      return value;
    }
    boolean notation = !settings.decimal().equals(".") || !settings.thousands().isEmpty();
    String text = notation ? notated(value) : respelled(value);
    boolean spaces = settings.delimiter().strip().equals(settings.delimiter());
    return spaces && random.nextInt(10) == 0 ? " " + text + " " : text;
  }

  private String notated(String value) {
    int point = value.indexOf('.');
    String whole = point < 0 ? value : value.substring(0, point);
    String fraction = point < 0 ? "" : value.substring(point + 1);
    if (!settings.thousands().isEmpty() && random.nextBoolean()) {
      whole = whole.replaceAll("\\B(?=(\\d{3})+$)", separator());
    }
    return fraction.isEmpty() ? whole : whole + settings.decimal() + fraction;
  }

  private String separator() {
    boolean narrow = settings.thousands().equals(" ") && settings.encoding().equals("utf-8");
    return narrow && random.nextBoolean() ? "\u202f" : settings.thousands();
  }

  private String respelled(String value) {
    BigDecimal number = new BigDecimal(value);
    return switch (random.nextInt(8)) {
      case 0 -> number.signum() < 0 ? value : "+" + value;
      case 1 -> number.setScale(number.scale() + 2).toPlainString();
      case 2 -> number.unscaledValue() + "e" + -number.scale();
      case 3 -> number.unscaledValue() + "E" + (number.scale() > 0 ? "" : "+") + -number.scale();
      case 4 -> value.replaceFirst("^(-?)0\\.", "$1.");
      default -> value;
    };
  }
}
