package io.idlalayer.benchmarks.source;

import io.idlalayer.benchmarks.measure.Repeats;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * What the arms of one application have come to under equal circumstances. Each arm has one outcome
 * for each seed, in the order of the seeds, so differences are taken seed by seed.
 */
final class SourceTable {
  private static final String BEST = "best period in hindsight";

  private final Map<Arm, List<Outcome>> arms;
  private final List<Outcome> best;

  /**
   * @param arms outcomes by seed of each arm, among them {@link Arm#SOURCE_PERIODIC}, {@link
   *     Arm#CONTINUOUS} and at least one period that replays
   */
  SourceTable(Map<Arm, List<Outcome>> arms) {
    this.arms = new LinkedHashMap<>(arms);
    best = hindsight();
  }

  /** For each seed, the period that would have cost least. */
  private List<Outcome> hindsight() {
    List<List<Outcome>> periods =
        arms.entrySet().stream()
            .filter(each -> each.getKey().period())
            .map(Map.Entry::getValue)
            .toList();
    List<Outcome> least = new ArrayList<>();
    for (int seed = 0; seed < periods.get(0).size(); seed++) {
      int of = seed;
      least.add(
          periods.stream()
              .map(period -> period.get(of))
              .min(Comparator.comparingDouble(Outcome::cost))
              .orElseThrow());
    }
    return least;
  }

  /** What the best period comes to, by seed. */
  List<Outcome> best() {
    return List.copyOf(best);
  }

  /** By how much an outcome is above that of another arm, in percent, seed by seed. */
  static double[] percentAbove(
      List<Outcome> runs, List<Outcome> others, ToDoubleFunction<Outcome> figure) {
    double[] percent = new double[runs.size()];
    for (int i = 0; i < percent.length; i++) {
      double other = figure.applyAsDouble(others.get(i));
      percent[i] = 100 * (figure.applyAsDouble(runs.get(i)) / other - 1);
    }
    return percent;
  }

  /** The table in Markdown, and a line with the cost of each period. */
  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append(
        "| arm | elapsed, s | % against 2 min | last waits, s | mean wait, s | updates | training, s"
            + " | other, s | cost | % against best period | right, % | loss | perplexity, % against"
            + " continuous |\n|");
    text.append("---|".repeat(13)).append('\n');
    arms.forEach(
        (arm, runs) -> {
          if (!arm.period()) {
            row(text, arm.label(), runs);
          }
        });
    row(text, BEST, best);
    text.append("\nCost by period, median:");
    arms.forEach(
        (arm, runs) -> {
          if (arm.period()) {
            text.append(
                String.format(
                    Locale.ROOT,
                    " %s: %,.0f;",
                    arm.label(),
                    Repeats.median(values(runs, Outcome::cost))));
          }
        });
    text.setCharAt(text.length() - 1, '.');
    return text.append('\n').toString();
  }

  private void row(StringBuilder text, String label, List<Outcome> runs) {
    List<Outcome> periodic = outcomes(Arm.SOURCE_PERIODIC);
    List<Outcome> continuous = outcomes(Arm.CONTINUOUS);
    boolean judged = !Double.isNaN(runs.get(0).quality().right());
    List<String> cells =
        List.of(
            label,
            median("%.1f", values(runs, Outcome::elapsedSeconds)),
            interval("%+.1f", percentAbove(runs, periodic, Outcome::elapsedSeconds)),
            median("%.2f", values(runs, Outcome::lastWaitSeconds)),
            interval("%.3f", values(runs, Outcome::meanWaitSeconds)),
            median("%.0f", values(runs, Outcome::updates)),
            median("%.2f", values(runs, Outcome::trainingSeconds)),
            median("%.2f", values(runs, Outcome::otherSeconds)),
            median("%.0f", values(runs, Outcome::cost)),
            interval("%+.1f", percentAbove(runs, best, Outcome::cost)),
            judged ? interval("%.2f", values(runs, run -> 100 * run.quality().right())) : "",
            interval("%.4f", values(runs, run -> run.quality().loss())),
            judged
                ? interval(
                    "%+.1f", percentAbove(runs, continuous, run -> run.quality().perplexity()))
                : "");
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private List<Outcome> outcomes(Arm arm) {
    return Objects.requireNonNull(arms.get(arm), () -> "no run of " + arm.label());
  }

  private static double[] values(List<Outcome> runs, ToDoubleFunction<Outcome> figure) {
    return runs.stream().mapToDouble(figure).toArray();
  }

  private static String median(String format, double[] values) {
    return String.format(Locale.ROOT, format, Repeats.median(values));
  }

  /** The median, and its 95 % interval by resampling where it is not a single value. */
  private static String interval(String format, double[] values) {
    double[] bounds = Repeats.interval(values);
    String middle = median(format, values);
    return bounds[0] == bounds[1]
        ? middle
        : String.format(
            Locale.ROOT, "%s (" + format + ".." + format + ")", middle, bounds[0], bounds[1]);
  }
}
