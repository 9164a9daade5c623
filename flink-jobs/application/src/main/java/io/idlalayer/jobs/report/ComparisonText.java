package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.jobs.events.ComparedVersions.MetricValues;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Describes the quality of a model and of older versions of it in words, for terminals. */
public final class ComparisonText {
  /**
   * Least number of tested events for a comparison to be shown, because fewer events say little.
   */
  private static final long FEWEST_EVENTS = 100;

  private ComparisonText() {}

  /** Returns whether a comparison has enough tested events to be shown. */
  public static boolean shows(ComparedVersions compared) {
    return compared.samples() >= FEWEST_EVENTS;
  }

  /**
   * Returns one line for the model, one for the version that is never renewed, and one for the
   * version that is renewed at intervals.
   *
   * @param served which version serves, in words
   */
  static List<String> lines(String served, ComparedVersions compared) {
    return List.of(
        String.format(
            Locale.ROOT,
            "%s: %s %s since event %,d",
            served,
            compared.measure(),
            quality(compared.model()),
            compared.once().learned()),
        String.format(
            Locale.ROOT,
            "trained once, version %d: %s %s",
            compared.once().version(),
            compared.measure(),
            quality(compared.once().quality())),
        String.format(
            Locale.ROOT,
            "renewed every %,d events, now version %d: %s %s",
            compared.every(),
            compared.renewed().version(),
            compared.measure(),
            quality(compared.renewed().quality())));
  }

  private static String quality(MetricValues quality) {
    return number(quality.recent()) + " of late, " + number(quality.value());
  }

  /**
   * Returns a comparison as lines of a summary, whose columns are aligned.
   *
   * @param updates number of updates of the model
   */
  public static List<String> summary(ComparedVersions compared, long updates) {
    return List.of(
        String.format(
            Locale.ROOT,
            "%,d events since event %,d, before they were learned:",
            compared.samples(),
            compared.once().learned()),
        row(
            String.format(Locale.ROOT, "this model, with %,d updates", updates),
            compared,
            compared.model()),
        row(
            String.format(Locale.ROOT, "trained once (version %d)", compared.once().version()),
            compared,
            compared.once().quality()),
        row(
            String.format(
                Locale.ROOT,
                "renewed every %,d events (now version %d)",
                compared.every(),
                compared.renewed().version()),
            compared,
            compared.renewed().quality()));
  }

  private static String row(String model, ComparedVersions compared, MetricValues quality) {
    return String.format(
        Locale.ROOT,
        "%-44s %s %s, of late %s",
        model,
        compared.measure(),
        number(quality.value()),
        number(quality.recent()));
  }

  private static String number(@Nullable Double value) {
    return value == null ? "not defined yet" : QualityText.brief(value);
  }
}
