package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.quality.RunFile.Run;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The tables for one stream with one kind of noise. */
final class QualityTables {
  private static final int LEVELS = 11;

  private final List<Run> runs;
  private final String product;
  private final QualityReport.Cost cost;
  private final Set<String> policies = new TreeSet<>();
  private final Set<Long> seeds = new TreeSet<>();

  private final Map<Work, CostModel> models = new LinkedHashMap<>();

  /**
   * The key of a cost model, which all runs with this key share.
   *
   * @param policy policy of the runs; empty if all policies share the model
   * @param miniBatch number of rows of a step
   */
  private record Work(String policy, int miniBatch) {}

  QualityTables(List<Run> runs, String product, QualityReport.Cost cost) {
    this(runs, product, cost, runs);
  }

  /**
   * @param priced runs on the same stream, to which the cost of a training is fitted
   */
  QualityTables(List<Run> runs, String product, QualityReport.Cost cost, List<Run> priced) {
    this.runs = runs;
    this.product = product;
    this.cost = cost;
    Map<Work, List<Run>> sameWork =
        new TreeMap<>(Comparator.comparing(Work::policy).thenComparing(Work::miniBatch));
    for (Run run : priced) {
      if (!reference(run.key().policy())) {
        sameWork.computeIfAbsent(work(run), work -> new ArrayList<>()).add(run);
      }
    }
    sameWork.forEach((work, same) -> models.put(work, CostModel.fit(same, this::seconds)));
    for (Run run : runs) {
      policies.add(run.key().policy());
      if (run.key().policy().equals(product)) {
        seeds.add(run.key().seed());
      }
    }
  }

  private Work work(Run run) {
    boolean whole = cost == QualityReport.Cost.WHOLE;
    return new Work(whole ? run.key().policy() : "", run.key().fitting().miniBatch());
  }

  private double seconds(RunCosts costs) {
    double around = cost == QualityReport.Cost.WHOLE ? costs.choiceCpuSeconds() : 0;
    return costs.trainCpuSeconds() + around;
  }

  /** Returns whether a policy is a reference learner and not a policy of the product. */
  private static boolean reference(String policy) {
    return policy.startsWith("moa_");
  }

  private double cost(Run run) {
    RunCosts costs = run.outcome().costs();
    if (cost == QualityReport.Cost.ROWS) {
      return costs.trainedRows();
    }
    boolean measured = cost == QualityReport.Cost.CPU || reference(run.key().policy());
    return measured ? costs.trainCpuSeconds() : modelled(run);
  }

  private double modelled(Run run) {
    CostModel model = models.get(work(run));
    return model == null ? Double.NaN : model.seconds(run);
  }

  String text() {
    if (!policies.contains(product)) {
      return "No run of the product.\n";
    }
    StringBuilder costs = new StringBuilder();
    models.forEach(
        (work, model) ->
            costs.append(
                String.format(
                    Locale.ROOT,
                    "A training%s in steps of %d rows costs %.3f ms, and %.5f ms for each pass over"
                        + " a row.%n%n",
                    work.policy().isEmpty() ? "" : " with " + work.policy(),
                    work.miniBatch(),
                    1e3 * model.secondsPerUpdate(),
                    1e3 * model.secondsPerRow())));
    return costs + best() + "\n" + atEqualQuality() + "\n" + differences() + "\n" + parts();
  }

  private List<Run> of(String policy) {
    return runs.stream().filter(run -> run.key().policy().equals(policy)).toList();
  }

  private static double mean(List<Run> of, ToDoubleFunction<Run> value) {
    return of.stream().mapToDouble(value).average().orElse(Double.NaN);
  }

  private static double accuracy(Run run) {
    return run.outcome().quality().trueAccuracy();
  }

  /** Returns the frontier of one seed; if the seed is null, of the means over all seeds. */
  private Frontier frontier(String policy, @Nullable Long seed) {
    Map<String, List<Run>> byConfiguration = new TreeMap<>();
    for (Run run : of(policy)) {
      if (seed == null || run.key().seed() == seed) {
        byConfiguration
            .computeIfAbsent(run.key().configuration(), key -> new ArrayList<>())
            .add(run);
      }
    }
    List<Frontier.Point> points = new ArrayList<>();
    byConfiguration.forEach(
        (configuration, same) ->
            points.add(
                new Frontier.Point(
                    configuration, mean(same, this::cost), mean(same, QualityTables::accuracy))));
    return Frontier.of(points);
  }

  private String best() {
    StringBuilder text =
        new StringBuilder(
            """
            Best configuration of each:

            | policy | configuration | accuracy (true) | accuracy (given) | log-loss (true) | training s | choice s | trained rows | updates | loss of new | of replayed | age of replayed | wrong in replay % | seeds |
            |---|---|---|---|---|---|---|---|---|---|---|---|---|---|
            """);
    List<String> lines = new ArrayList<>(policies);
    lines.sort(Comparator.comparingDouble(each -> -frontier(each, null).best().accuracy()));
    for (String policy : lines) {
      String configuration = frontier(policy, null).best().configuration();
      List<Run> same = runs(policy, configuration);
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %.4f | %.4f | %.4f | %.2f | %.2f | %,.0f | %,.0f | %.3f | %.3f | %,.0f |"
                  + " %.1f | %d |%n",
              policy.equals(product) ? "**" + policy + "**" : policy,
              configuration,
              mean(same, QualityTables::accuracy),
              mean(same, run -> run.outcome().quality().givenAccuracy()),
              mean(same, run -> run.outcome().quality().trueLogLoss()),
              mean(same, run -> run.outcome().costs().trainCpuSeconds()),
              mean(same, run -> run.outcome().costs().choiceCpuSeconds()),
              mean(same, run -> run.outcome().costs().trainedRows()),
              mean(same, run -> run.outcome().costs().updates()),
              mean(same, run -> run.outcome().replay().newLoss()),
              mean(same, run -> run.outcome().replay().replayedLoss()),
              mean(same, run -> run.outcome().replay().replayedAge()),
              100 * mean(same, run -> run.outcome().replay().replayedWrong()),
              same.size()));
    }
    return text.toString();
  }

  private List<Run> runs(String policy, String configuration) {
    return of(policy).stream()
        .filter(run -> run.key().configuration().equals(configuration))
        .toList();
  }

  private String atEqualQuality() {
    Frontier own = frontier(product, null);
    StringBuilder text =
        new StringBuilder("Cost at which a rival is as accurate as each point of the product:\n\n");
    text.append("| product point (accuracy @ cost) |");
    List<String> rivals = rivals();
    rivals.forEach(each -> text.append(' ').append(each).append(" |"));
    text.append("\n|---|").append("---|".repeat(rivals.size())).append('\n');
    for (Frontier.Point point : own.points()) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s: %.4f @ %s |",
              point.configuration(),
              point.accuracy(),
              costText(point.cost())));
      for (String rival : rivals) {
        Double needed = frontier(rival, null).costOf(point.accuracy());
        text.append(
            needed == null
                ? " never |"
                : String.format(
                    Locale.ROOT, " %s (x %.2f) |", costText(needed), needed / point.cost()));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private String costText(double value) {
    return cost == QualityReport.Cost.ROWS
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.3f s", value);
  }

  /**
   * Returns the policies that are compared with the product: all others that train the same
   * network.
   */
  List<String> rivals() {
    return policies.stream().filter(each -> !each.equals(product) && !reference(each)).toList();
  }

  private String differences() {
    StringBuilder text =
        new StringBuilder(
            """
            Accuracy of the product minus the rival's at equal cost, percentage points, and the rival's cost
            at equal accuracy as a multiple of the product's: means over the product's frontier, 95 %
            interval over seeds. A rival that never gets as accurate counts in the last column only.

            | rival | accuracy at equal cost | at the product's best | cost at equal accuracy | never as accurate |
            |---|---|---|---|---|
            """);
    for (String rival : rivals()) {
      CostFactor factor = costFactor(rival);
      text.append(
          "| %s | %s | %s | %s | %d of %d |%n"
              .formatted(
                  rival,
                  overFrontier(rival).text(),
                  atEqualCost(rival).text(),
                  factor.text(),
                  factor.never(),
                  factor.points()));
    }
    return text.toString();
  }

  /**
   * The rival's cost divided by the product's cost at equal accuracy.
   *
   * @param logarithm logarithm of the factor: for each seed, the mean over the points of the
   *     product's frontier
   * @param never number of points whose accuracy the rival does not reach
   * @param points number of compared points
   */
  record CostFactor(PairedDifference logarithm, int never, int points) {
    String text() {
      if (logarithm.pairs() == 0) {
        return "-";
      }
      double mean = logarithm.mean();
      double half = logarithm.halfWidth();
      return Double.isNaN(half)
          ? String.format(Locale.ROOT, "x %.2f", Math.exp(mean))
          : String.format(
              Locale.ROOT,
              "x %.2f [%.2f, %.2f]",
              Math.exp(mean),
              Math.exp(mean - half),
              Math.exp(mean + half));
    }
  }

  /**
   * The product's cost at the accuracy of a rival, relative to the rival's cost.
   *
   * @param atBest logarithm of the product's cost divided by the rival's cost at the rival's best
   *     accuracy, for each seed with which the product reaches this accuracy
   * @param inCommon mean of this logarithm over {@link #LEVELS} accuracies that both reach. The
   *     product's cost is at least the cost of its cheapest configuration
   * @param seeds number of seeds with runs of both
   * @param best best accuracy of the product minus best accuracy of the rival
   */
  record Saving(
      PairedDifference atBest, PairedDifference inCommon, int seeds, PairedDifference best) {
    /**
     * Returns whether the product reaches the rival's best accuracy with every seed, and saves at
     * least {@code share} of the rival's cost on average.
     */
    boolean atLeast(double share) {
      return atBest.pairs() == seeds && 1 - Math.exp(atBest.mean()) >= share;
    }

    /**
     * Returns the saved share in percent, with its interval; negative if the product costs more.
     */
    static String text(PairedDifference logarithm, int seeds) {
      if (logarithm.pairs() < seeds) {
        return "reached by %d of %d seeds".formatted(logarithm.pairs(), seeds);
      }
      double mean = logarithm.mean();
      double half = logarithm.halfWidth();
      String least = percent(mean + half);
      return Double.isNaN(half)
          ? percent(mean) + " %"
          : "%s %% [%s, %s]".formatted(percent(mean), least, percent(mean - half));
    }

    private static String percent(double logarithm) {
      return String.format(Locale.ROOT, "%.0f", 100 * (1 - Math.exp(logarithm)));
    }
  }

  /** Returns what the product saves compared with a rival. Both must have runs. */
  Saving saving(String rival) {
    List<Double> atBest = new ArrayList<>();
    List<Double> inCommon = new ArrayList<>();
    List<Double> best = new ArrayList<>();
    for (long seed : seeds) {
      if (ran(rival, seed)) {
        Frontier own = frontier(product, seed);
        Frontier theirs = frontier(rival, seed);
        Frontier.Point goal = theirs.best();
        best.add(own.best().accuracy() - goal.accuracy());
        Double spent = own.costOf(goal.accuracy());
        if (spent != null) {
          atBest.add(Math.log(spent / goal.cost()));
        }
        double to = Math.min(own.best().accuracy(), goal.accuracy());
        if (theirs.points().get(0).accuracy() <= to) {
          inCommon.add(meanLogarithm(own, theirs, theirs.points().get(0).accuracy(), to));
        }
      }
    }
    return new Saving(difference(atBest), difference(inCommon), best.size(), difference(best));
  }

  private static PairedDifference difference(List<Double> values) {
    return PairedDifference.of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static double meanLogarithm(Frontier own, Frontier theirs, double from, double to) {
    double sum = 0;
    int count = 0;
    for (int level = 0; level < LEVELS; level++) {
      // The last level is exactly the upper end.
      double accuracy = level == LEVELS - 1 ? to : from + (to - from) * level / (LEVELS - 1);
      Double spent = own.costOf(accuracy);
      Double rival = theirs.costOf(accuracy);
      if (spent != null && rival != null) {
        sum += Math.log(spent / rival);
        count++;
      }
    }
    return sum / count;
  }

  /** Returns whether the product and a rival both have runs. */
  boolean compares(String rival) {
    return policies.contains(product) && policies.contains(rival);
  }

  private boolean ran(String rival, long seed) {
    return of(rival).stream().anyMatch(run -> run.key().seed() == seed);
  }

  /**
   * Returns the product's accuracy minus the rival's at equal cost: for each seed, the mean over
   * the points of the product's frontier.
   */
  PairedDifference overFrontier(String rival) {
    return overSeeds(
        rival,
        (theirs, point) -> {
          Double reached = theirs.accuracyAt(point.cost());
          return reached == null ? null : point.accuracy() - reached;
        });
  }

  CostFactor costFactor(String rival) {
    int[] counts = new int[2];
    PairedDifference logarithm =
        overSeeds(
            rival,
            (theirs, point) -> {
              Double needed = theirs.costOf(point.accuracy());
              counts[0] += needed == null ? 1 : 0;
              counts[1]++;
              return needed == null ? null : Math.log(needed / point.cost());
            });
    return new CostFactor(logarithm, counts[0], counts[1]);
  }

  /**
   * Compares a point of the product with the frontier of a rival; null if they cannot be compared.
   */
  private interface Comparison {
    @Nullable Double of(Frontier theirs, Frontier.Point point);
  }

  /**
   * Returns a comparison for each seed with which both have runs: the mean over the points of the
   * product's frontier.
   */
  private PairedDifference overSeeds(String rival, Comparison comparison) {
    List<Double> means = new ArrayList<>();
    for (long seed : seeds) {
      if (ran(rival, seed)) {
        Frontier theirs = frontier(rival, seed);
        List<Double> compared = new ArrayList<>();
        for (Frontier.Point point : frontier(product, seed).points()) {
          Double one = comparison.of(theirs, point);
          if (one != null) {
            compared.add(one);
          }
        }
        if (!compared.isEmpty()) {
          means.add(compared.stream().mapToDouble(it -> it).sum() / compared.size());
        }
      }
    }
    return difference(means);
  }

  private PairedDifference atEqualCost(String rival) {
    List<Double> differences = new ArrayList<>();
    for (long seed : seeds) {
      if (ran(rival, seed)) {
        Frontier.Point best = frontier(product, seed).best();
        Double reached = frontier(rival, seed).accuracyAt(best.cost());
        if (reached != null) {
          differences.add(best.accuracy() - reached);
        }
      }
    }
    return difference(differences);
  }

  private String parts() {
    StringBuilder text =
        new StringBuilder(
            "Accuracy in percent by twentieths of the stream, best configuration of each:\n\n"
                + "| policy |");
    for (int i = 1; i <= Tally.PARTS; i++) {
      text.append(' ').append(i).append(" |");
    }
    text.append("\n|---|").append("---|".repeat(Tally.PARTS)).append('\n');
    for (String policy : policies) {
      List<Run> same = runs(policy, frontier(policy, null).best().configuration());
      text.append("| ").append(policy).append(" |");
      for (int i = 0; i < Tally.PARTS; i++) {
        int part = i;
        double mean = mean(same, run -> run.outcome().quality().parts()[part]);
        text.append(String.format(Locale.ROOT, " %.1f |", 100 * mean));
      }
      text.append('\n');
    }
    return text.toString();
  }
}
