package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.quality.RunFile.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Makes the tables of the quality experiment from the CSV files of its processes. */
@CommandLine.Command(name = "QualityReport", mixinStandardHelpOptions = true)
public final class QualityReport implements Callable<Integer> {
  @Option(names = "--in", split = ",", required = true, description = "CSV files of runs")
  private List<Path> in = List.of();

  @Option(names = "--out", required = true, description = "Markdown file to write")
  private Path out = Path.of("");

  @Option(names = "--product", description = "policy that the others are compared with")
  private String product = "fuzzy";

  @Option(names = "--cost", description = "${COMPLETION-CANDIDATES}")
  private Cost cost = Cost.MODELLED;

  /** What a frontier's horizontal axis is. */
  enum Cost {
    /** Seconds by a linear model of updates and rows, fitted to all runs of the stream. */
    MODELLED("modelled processor seconds of training"),
    /**
     * Seconds of training and of the learner's own work for it (choosing samples, measuring their
     * contribution, their stages, the store), by such a model for each policy.
     */
    WHOLE("modelled processor seconds of training and of the learner around it"),
    /** Processor seconds as they were measured. */
    CPU("processor seconds of training"),
    /** Trained rows. */
    ROWS("trained rows");

    private final String title;

    Cost(String title) {
      this.title = title;
    }
  }

  QualityReport() {}

  public static void main(String[] args) {
    System.exit(
        new CommandLine(new QualityReport())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(args));
  }

  @Override
  public Integer call() throws IOException {
    Map<RunKey, Run> runs = new LinkedHashMap<>();
    for (Path file : in) {
      RunFile.read(file).forEach(run -> runs.put(run.key(), run));
    }
    Map<String, List<Run>> groups = new TreeMap<>();
    for (Run run : runs.values()) {
      groups.computeIfAbsent(run.key().circumstances(), key -> new ArrayList<>()).add(run);
    }
    StringBuilder text = new StringBuilder("# Quality per cost\n\n");
    text.append(
        "%d runs. The product is `%s`; cost is %s. Differences are the product minus the rival.%n"
            .formatted(runs.size(), product, cost.title));
    groups.forEach(
        (name, group) ->
            text.append("\n## ")
                .append(name)
                .append("\n\n")
                .append(new QualityTables(group, product, cost).text()));
    text.append(summary(groups));
    Files.writeString(out, text);
    return 0;
  }

  /** How often the product is ahead of each rival, behind it, or neither. */
  private String summary(Map<String, List<Run>> groups) {
    StringBuilder text = new StringBuilder("\n## All streams, accuracy at equal cost\n\n");
    text.append("| rival | ahead | neither | behind | mean difference, points |\n");
    text.append("|---|---|---|---|---|\n");
    Map<String, List<PairedDifference>> differences = new TreeMap<>();
    for (List<Run> group : groups.values()) {
      QualityTables tables = new QualityTables(group, product, cost);
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
}
