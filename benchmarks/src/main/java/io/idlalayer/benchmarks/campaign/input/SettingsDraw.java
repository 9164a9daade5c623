package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.InputSettings.Missing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** Draws the settings of an application for a theme. */
final class SettingsDraw {
  static final int SHORT_BYTES = 2_048;
  private static final List<String> DELIMITERS =
      List.of(",", ",", ";", "\t", "|", "::", "~", " ; ", "<>", "§");
  private static final List<String> NAMES =
      List.of("x", "size \"L\"", "größe", "a b", "kanal,2", "X", "v.1", "$k", "naïve");
  private static final List<List<String>> CLASSES =
      List.of(
          List.of("0", "1"),
          List.of("no", "yes"),
          List.of("ja", "nein", "vielleicht"),
          List.of("NO", "SE"));
  private static final List<List<String>> ODD_CLASSES =
      List.of(
          List.of("250.1", "250.10"),
          List.of("1d", "1f", "1h"),
          List.of("01", "1"),
          List.of("true", "false"),
          List.of("a b", "a  b"),
          List.of("A", "a"),
          List.of("0x1p3", "8"),
          List.of("NaN", "Infinity", "-0"));

  private final Theme theme;
  private final SplittableRandom random;

  SettingsDraw(Theme theme, SplittableRandom random) {
    this.theme = theme;
    this.random = random;
  }

  InputSettings draw() {
    boolean json = theme.inJson() && (!theme.inCsv() || random.nextInt(3) == 0);
    List<String> names = new ArrayList<>(NAMES);
    Collections.shuffle(names, new Random(random.nextLong()));
    List<String> numbers = take(names, 2 + random.nextInt(2));
    List<String> times = theme == Theme.TIMES ? List.of("at") : List.of();
    List<String> categories = theme == Theme.NESTED ? List.of("segment") : List.of("site");
    String id = theme.withIds() ? "event" : "";
    String label = random.nextBoolean() ? "label" : "Label";
    boolean counted = theme == Theme.ONE_TO_K || (!theme.regression() && random.nextInt(5) == 0);
    Missing missing = Missing.REFUSE;
    if (theme == Theme.MISSING) {
      missing = random.nextBoolean() ? Missing.ZERO : Missing.MEAN;
    }
    boolean notation = theme == Theme.NOTATION;
    int separators = random.nextInt(5);
    return new InputSettings(
        json,
        notation ? pick(List.of(";", "\t", "|", "::")) : pick(DELIMITERS),
        !json && random.nextBoolean(),
        json ? "utf-8" : encoding(),
        notation && separators != 3 ? "," : ".",
        notation ? List.of("", ".", " ", ",", ".").get(separators) : "",
        missing,
        missing != Missing.REFUSE && random.nextBoolean(),
        theme == Theme.MISSING && random.nextInt(3) == 0 ? List.of("?", "-200") : List.of(),
        columns(numbers, times, categories, label, id),
        numbers,
        times,
        categories,
        label,
        theme.regression() ? List.of() : classes(counted),
        counted,
        id,
        theme == Theme.LONG ? SHORT_BYTES : 1 << 20);
  }

  private String encoding() {
    if (theme == Theme.STRAY_BYTES || random.nextInt(4) > 0) {
      return "utf-8";
    }
    return pick(List.of("iso-8859-1", "windows-1252", "utf-16le", "utf-16be"));
  }

  private List<String> classes(boolean counted) {
    if (counted) {
      return List.of("0", "1", "2").subList(0, 2 + random.nextInt(2));
    }
    return pick(theme == Theme.CLASSES ? ODD_CLASSES : CLASSES);
  }

  private List<String> columns(
      List<String> numbers, List<String> times, List<String> categories, String label, String id) {
    List<String> columns = new ArrayList<>(numbers);
    columns.addAll(times);
    columns.addAll(categories);
    columns.add(label);
    if (!id.isEmpty()) {
      columns.add(id);
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      columns.add(random.nextBoolean() ? "" : "unused" + i);
    }
    Collections.shuffle(columns, new Random(random.nextLong()));
    return List.copyOf(columns);
  }

  private static List<String> take(List<String> from, int count) {
    return List.copyOf(from.subList(0, count));
  }

  private <T> T pick(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
