package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.quality.RunFile.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Writes the tables of the quality experiment from the CSV files of its processes. */
@CommandLine.Command(name = "QualityReport", mixinStandardHelpOptions = true)
public final class QualityReport implements Callable<Integer> {
  @Option(names = "--in", split = ",", required = true, description = "CSV files of runs")
  private List<Path> in = List.of();

  @Option(names = "--out", required = true, description = "Markdown file to write")
  private Path out = Path.of("");

  @Option(names = "--product", description = "policy with which the others are compared")
  private String product = "fuzzy";

  @Option(
      names = "--by-rule",
      description = "call policies under the product's update rule NAME_adaptive")
  private boolean byRule;

  @Option(
      names = "--steps",
      split = ",",
      description = "policies, each of which is compared with the one before it")
  private List<String> steps = List.of();

  @Option(names = "--only", description = "only the summary of all streams")
  private boolean summaryOnly;

  @Option(
      names = "--costs-of",
      split = ",",
      description = "CSV files of runs to which the cost of training is fitted; default: all")
  private List<Path> costsOf = List.of();

  @Option(names = "--cost", description = "${COMPLETION-CANDIDATES}")
  private Cost cost = Cost.MODELLED;

  /** The measures of cost, which are the horizontal axis of a frontier. */
  enum Cost {
    /**
     * Seconds of training by a linear model of updates and rows, fitted to all runs on the stream.
     */
    MODELLED("modelled processor seconds of training"),
    /**
     * Seconds of training and of the learner's work for it: choosing samples, measuring their
     * contributions, their stages, and the store. Each policy has its own linear model of updates
     * and rows.
     */
    WHOLE("modelled processor seconds of training and of the learner around it"),
    /** Measured processor seconds of training. */
    CPU("processor seconds of training"),
    /** Number of trained rows. */
    ROWS("trained rows");

    private final String title;

    Cost(String title) {
      this.title = title;
    }
  }

  QualityReport() {}

  public static void main(String[] args) {
    Experiment.run(new QualityReport(), args);
  }

  /** The share of a rival's cost that the product is to save at equal accuracy. */
  private enum Bar {
    PERIODIC("periodic", 0.3),
    CONTINUOUS("continuous", 0.6);

    private final String rival;
    private final double share;

    Bar(String rival, double share) {
      this.rival = rival;
      this.share = share;
    }
  }

  @Override
  public Integer call() throws IOException {
    Map<String, List<Run>> groups = new TreeMap<>();
    int count = 0;
    for (Run run : runs(in)) {
      groups.computeIfAbsent(run.key().circumstances(), key -> new ArrayList<>()).add(run);
      count++;
    }
    Map<String, List<Run>> priced = new TreeMap<>();
    for (Run run : runs(costsOf)) {
      priced.computeIfAbsent(run.key().stream(), key -> new ArrayList<>()).add(run);
    }
    Function<List<Run>, List<Run>> prices =
        group -> priced.getOrDefault(group.get(0).key().stream(), group);
    StringBuilder text = new StringBuilder("# Quality per cost\n\n");
    text.append(
        "%d runs. The product is `%s`; cost is %s. Differences are the product minus the rival.%n"
            .formatted(count, product, cost.title));
    if (!summaryOnly) {
      groups.forEach(
          (name, group) ->
              text.append("\n## ")
                  .append(name)
                  .append("\n\n")
                  .append(new QualityTables(group, product, cost, prices.apply(group)).text()));
    }
    text.append(summary(groups, prices)).append(bars(groups, prices)).append(steps(groups, prices));
    Files.writeString(out, text);
    return 0;
  }

  /** Returns the runs of several files; of several runs with the same key, the last one. */
  private Collection<Run> runs(List<Path> files) throws IOException {
    Map<RunKey, Run> runs = new LinkedHashMap<>();
    for (Path file : files) {
      for (Run run : RunFile.read(file)) {
        Run named = byRule ? new Run(run.key().withRuleInPolicy(), run.outcome()) : run;
        runs.put(named.key(), named);
      }
    }
    return runs.values();
  }

  /**
   * Returns a table that says how often the product is ahead of each rival, behind the rival, or
   * neither.
   */
  private String summary(Map<String, List<Run>> groups, Function<List<Run>, List<Run>> prices) {
    StringBuilder text = new StringBuilder("\n## All streams, accuracy at equal cost\n\n");
    text.append("| rival | ahead | neither | behind | mean difference, points |\n");
    text.append("|---|---|---|---|---|\n");
    Map<String, List<PairedDifference>> differences = new TreeMap<>();
    for (List<Run> group : groups.values()) {
      QualityTables tables = new QualityTables(group, product, cost, prices.apply(group));
      for (String rival : tables.rivals()) {
        PairedDifference difference = tables.overFrontier(rival);
        if (difference.pairs() > 0) {
          differences.computeIfAbsent(rival, key -> new ArrayList<>()).add(difference);
        }
      }
    }
    differences.forEach(
        (rival, each) ->
            text.append(
                "| %s | %d | %d | %d | %+.2f |%n"
                    .formatted(
                        rival,
                        each.stream().filter(one -> one.sign() > 0).count(),
                        each.stream().filter(one -> one.sign() == 0).count(),
                        each.stream().filter(one -> one.sign() < 0).count(),
                        100
                            * each.stream()
                                .mapToDouble(PairedDifference::mean)
                                .average()
                                .orElse(Double.NaN))));
    return text.toString();
  }

  /** Returns a table of what the product saves at equal accuracy, beside what it is to save. */
  private String bars(Map<String, List<Run>> groups, Function<List<Run>, List<Run>> prices) {
    StringBuilder text =
        new StringBuilder(
            """

            ## Cost at equal accuracy

            Share of the rival's cost that the product saves at the best accuracy that the rival reaches, and the mean over
            the accuracies from the rival's least to the best that both reach, 95 % interval over seeds. Negative: it costs
            more. Met: every seed reaches the rival's best accuracy, and the mean of the saved share is at least the bar.

            | circumstances | rival | saved at the rival's best | saved over all accuracies | bar | | best accuracy, product minus rival |
            |---|---|---|---|---|---|---|
            """);
    for (Bar bar : Bar.values()) {
      groups.forEach(
          (name, group) -> {
            QualityTables tables = new QualityTables(group, product, cost, prices.apply(group));
            if (tables.compares(bar.rival)) {
              QualityTables.Saving saving = tables.saving(bar.rival);
              text.append(
                  "| %s | %s | %s | %s | %.0f %% | %s | %s |%n"
                      .formatted(
                          name,
                          bar.rival,
                          QualityTables.Saving.text(saving.atBest(), saving.seeds()),
                          QualityTables.Saving.text(saving.inCommon(), saving.seeds()),
                          100 * bar.share,
                          saving.atLeast(bar.share) ? "met" : "missed",
                          saving.best().text()));
            }
          });
    }
    return text.toString();
  }

  /** Returns a table that compares each policy of {@code --steps} with the policy before it. */
  private String steps(Map<String, List<Run>> groups, Function<List<Run>, List<Run>> prices) {
    StringBuilder text = new StringBuilder();
    if (steps.size() > 1) {
      text.append("\n## Step by step\n\n");
      text.append("| circumstances | step | accuracy at equal cost | saved at its best |\n");
      text.append("|---|---|---|---|\n");
    }
    groups.forEach(
        (name, group) -> {
          for (int i = 1; i < steps.size(); i++) {
            QualityTables tables =
                new QualityTables(group, steps.get(i), cost, prices.apply(group));
            if (tables.compares(steps.get(i - 1))) {
              QualityTables.Saving saving = tables.saving(steps.get(i - 1));
              text.append(
                  "| %s | %s to %s | %s | %s |%n"
                      .formatted(
                          name,
                          steps.get(i - 1),
                          steps.get(i),
                          tables.overFrontier(steps.get(i - 1)).text(),
                          QualityTables.Saving.text(saving.atBest(), saving.seeds())));
            }
          }
        });
    return text.toString();
  }
}
