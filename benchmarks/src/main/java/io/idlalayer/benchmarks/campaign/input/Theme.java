package io.idlalayer.benchmarks.campaign.input;

/** What an input is about. How its file is written is drawn besides. */
enum Theme {
  PLAIN("good and malformed events"),
  REPEATS("contents that come again, without ids"),
  IDS("deliveries, late labels and early labels by id"),
  LABELS_ALONE("labels that find no event"),
  CLASSES("odd names of classes"),
  ONE_TO_K("labels from 1 where classes are counted from 0"),
  STRANGE_LABELS("labels that no class has"),
  REGRESSION("a target"),
  OFFSET("numbers with a large offset"),
  UNIT("a target that changes its unit"),
  UNIT_OF_FEATURE("a feature that changes its unit"),
  OUTLIERS("one row of 3e38"),
  MISSING("missing numbers"),
  TIMES("time stamps"),
  NOTATION("decimal and thousands separators"),
  STRAY_BYTES("bytes of another encoding"),
  FIELD_CASE("a field that is written in another case"),
  NESTED("a field inside of another one"),
  ALL_MALFORMED("nothing but malformed events"),
  UNLABELLED("no labels"),
  EMPTY("no events"),
  LONG("events that are too long"),
  STRAY_QUOTE("a quote too much");

  private final String words;

  Theme(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }

  boolean regression() {
    return switch (this) {
      case REGRESSION, OFFSET, UNIT, UNIT_OF_FEATURE, OUTLIERS -> true;
      default -> false;
    };
  }

  boolean withIds() {
    return this == IDS || this == LABELS_ALONE;
  }

  /** Returns whether its events can be JSON, and whether they can be CSV. */
  boolean inJson() {
    return this != NOTATION && this != STRAY_QUOTE;
  }

  boolean inCsv() {
    return this != FIELD_CASE && this != NESTED;
  }
}
