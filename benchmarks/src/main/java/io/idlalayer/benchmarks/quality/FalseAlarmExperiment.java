package io.idlalayer.benchmarks.quality;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.gate.ModelComparison;
import io.idlalayer.modelcontroller.gate.ModelComparison.Verdict;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Counts the false alarms of the release gate: {@code FalseAlarmExperiment [COMPARISONS [SAMPLES
 * [SEED]]]}. In each comparison, the model is on average worse by exactly the margin, which is the
 * hardest case: the gate must not call it worse. Nothing is trained. The differences between two
 * models are drawn, and the verdict of {@link ModelComparison} is read after each difference. In
 * all scenarios except the last, the expected value of the next difference, given all earlier
 * differences, is the margin.
 */
public final class FalseAlarmExperiment {
  private static final double MARGIN = 0.01;
  private static final int COMPARISONS = 250_000;
  private static final int SAMPLES = 400;
  private static final int BLOCK = 50;
  private static final Sample SAMPLE = new Sample("s", new double[] {1}, new int[0], 1);
  private static final ScoringBatch ONE =
      ScoringBatch.toCompare(new long[1], List.of(SAMPLE), IdVectors.NONE, IdVectors.NONE);
  private static final double[] PREDICTED = {1};
  private static final float[] NO_LOSS = {0};

  /** Draws differences in [-1, 1]. */
  private interface Draw {
    /**
     * @param random source of random numbers for this comparison
     * @param before the previous difference; 0 before the first difference
     * @param worse measured difference so far minus the margin
     */
    double next(SplittableRandom random, double before, double worse);
  }

  private record Scenario(String name, boolean covered, Draw draw) {}

  private FalseAlarmExperiment() {}

  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT);
    int comparisons = args.length > 0 ? Integer.parseInt(args[0]) : COMPARISONS;
    int samples = args.length > 1 ? Integer.parseInt(args[1]) : SAMPLES;
    long seed = args.length > 2 ? Long.parseLong(args[2]) : 1;
    System.out.printf(
        "margin %s, at most %,d samples, looked at after each; allowed: %s%n%n",
        MARGIN, samples, ModelComparison.FALSE_ALARM);
    System.out.println(
        "| SIMULATED: differences | comparisons | alarms | of trusted samples | at most allowed |");
    System.out.println("|---|---|---|---|---|");
    long all = 0;
    long alarms = 0;
    long trustedAlarms = 0;
    for (Scenario scenario : scenarios()) {
      SplittableRandom random = new SplittableRandom(seed);
      long arriving = 0;
      long trusted = 0;
      for (int i = 0; i < comparisons; i++) {
        Found found = compare(scenario.draw(), random.split(), samples);
        arriving += found.alarm() ? 1 : 0;
        trusted += found.trustedAlarm() ? 1 : 0;
      }
      if (scenario.covered()) {
        all += comparisons;
        alarms += arriving;
        trustedAlarms += trusted;
      }
      line(scenario.name(), comparisons, arriving, trusted, scenario.covered());
    }
    line("all but the last line", all, alarms, trustedAlarms, true);
  }

  private static void line(String name, long comparisons, long alarms, long trusted, boolean ok) {
    System.out.printf(
        "| %s | %,d | %,d | %,d | %s |%n",
        name,
        comparisons,
        alarms,
        trusted,
        ok ? "%.1f".formatted(comparisons * ModelComparison.FALSE_ALARM) : "-");
  }

  /**
   * @param alarm whether there was an alarm at any time, if the samples arrive one by one
   * @param trustedAlarm whether there was an alarm after the last sample, if all of them are
   *     trusted samples
   */
  private record Found(boolean alarm, boolean trustedAlarm) {}

  private static Found compare(Draw draw, SplittableRandom random, int samples) {
    GateSettings settings = GateSettings.off(Metric.LOSS);
    ModelComparison arriving = new ModelComparison(settings, 0);
    ModelComparison trusted = new ModelComparison(settings, samples);
    boolean alarm = false;
    double before = 0;
    for (int i = 0; i < samples; i++) {
      before = draw.next(random, before, arriving.difference() - MARGIN);
      ScoredBatch one = scored(before);
      arriving.add(one);
      trusted.add(one);
      alarm = alarm || arriving.verdict() == Verdict.WORSE;
    }
    return new Found(alarm, trusted.verdict() == Verdict.WORSE);
  }

  /**
   * Returns a scored sample on which the model's log loss is higher than the baseline's log loss by
   * {@code difference}.
   */
  private static ScoredBatch scored(double difference) {
    float[] own = {(float) Math.max(0, difference)};
    float[] other = {(float) Math.max(0, -difference)};
    ScoredBatch.Rival rival =
        new ScoredBatch.Rival(1, 1, difference < 0 ? other : NO_LOSS, PREDICTED);
    return ScoredBatch.of(ONE, difference > 0 ? own : NO_LOSS, PREDICTED).beside(rival);
  }

  private static List<Scenario> scenarios() {
    return List.of(
        new Scenario("models differ on 3 % of samples", true, classes(0.01)),
        new Scenario("on 21 %", true, classes(0.1)),
        new Scenario("on all", true, classes((1 - MARGIN) / 2)),
        new Scenario("rare large harm, else slightly better", true, two(0.02, 1)),
        new Scenario("rarer", true, two(0.012, 1)),
        new Scenario("rare large gain, else slightly worse", true, two(0.02, -1)),
        new Scenario("even over [-0.98, 1]", true, (random, before, worse) -> even(random)),
        new Scenario(
            "they differ in bursts, which begin and end by chance",
            true,
            FalseAlarmExperiment::bursts),
        new Scenario(
            "small differences while it looks worse, large ones else",
            true,
            (random, before, worse) ->
                worse > 0 ? MARGIN + 0.2 * (even(random) - MARGIN) : even(random)),
        new Scenario(
            "the other way",
            true,
            (random, before, worse) ->
                worse > 0 ? even(random) : MARGIN + 0.2 * (even(random) - MARGIN)),
        new Scenario(
            "blocks of %d alike (not covered: the block before tells)".formatted(BLOCK),
            false,
            FalseAlarmExperiment::blocks));
  }

  private static double even(SplittableRandom random) {
    return MARGIN + (random.nextDouble() * 2 - 1) * (1 - MARGIN);
  }

  /**
   * Returns differences of 1, -1 and 0: only one of the models is right, or both or none.
   *
   * @param won share of samples that only the new model predicts correctly
   */
  private static Draw classes(double won) {
    return (random, before, worse) -> {
      double drawn = random.nextDouble();
      return drawn < won + MARGIN ? 1 : drawn < 2 * won + MARGIN ? -1 : 0;
    };
  }

  /**
   * Returns a draw of two values: the rare value with the given chance, otherwise a value such that
   * the mean is the margin.
   */
  private static Draw two(double chance, double rare) {
    double other = (MARGIN - chance * rare) / (1 - chance);
    return (random, before, worse) -> random.nextDouble() < chance ? rare : other;
  }

  /**
   * Draws differences in bursts. Whether the models differ depends on whether they differed on the
   * sample before. Which model is better does not depend on it.
   */
  private static double bursts(SplittableRandom random, double before, double worse) {
    // On a sample where the models do not differ, the difference is exactly the margin.
    boolean differed = before == 1 || before == -1;
    boolean differ = random.nextDouble() < (differed ? 0.95 : 0.02);
    if (!differ) {
      return MARGIN;
    }
    return random.nextDouble() < (1 + MARGIN) / 2 ? 1 : -1;
  }

  /** Draws blocks of equal differences, as several samples of one user might have. */
  private static double blocks(SplittableRandom random, double before, double worse) {
    boolean goesOn = before != 0 && random.nextDouble() < 1 - 1.0 / BLOCK;
    return goesOn ? before : random.nextDouble() < (1 + MARGIN) / 2 ? 1 : -1;
  }
}
