package io.idlalayer.benchmarks.tensors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Makes tables and a figure from the lines that {@link BudgetExperiment} has printed: the bars, all
 * policies at all shares, and which planners {@code auto} follows. Arguments: the SVG file to
 * write, then CSV files.
 */
public final class BudgetTables {
  private static final double MEAN_BAR = 1.07;
  private static final double BOUND_BAR = 1.05;

  private final List<BudgetRow> rows;

  private BudgetTables(List<BudgetRow> rows) {
    this.rows = rows;
  }

  public static void main(String[] args) throws IOException {
    if (args.length < 2) {
      throw new IllegalArgumentException("arguments: FIGURE.svg FILE.csv...");
    }
    List<BudgetRow> rows = new ArrayList<>();
    for (String file : Arrays.asList(args).subList(1, args.length)) {
      Files.readAllLines(Path.of(file)).stream()
          .filter(line -> !line.equals(BudgetRow.HEADER) && !line.isBlank())
          .map(BudgetRow::of)
          .forEach(rows::add);
    }
    BudgetTables tables = new BudgetTables(rows);
    tables.printBars();
    tables.steps().forEach(tables::printStep);
    tables.printFollowed();
    Files.writeString(Path.of(args[0]), tables.figure());
  }

  private List<String> steps() {
    return rows.stream().map(BudgetRow::step).distinct().toList();
  }

  private List<Contender> contenders() {
    return Arrays.stream(Contender.values())
        .filter(each -> rows.stream().anyMatch(row -> row.policy().equals(each.key())))
        .toList();
  }

  private Optional<BudgetRow> row(String step, String asked, Contender contender) {
    return rows.stream()
        .filter(
            row ->
                row.step().equals(step)
                    && row.asked().equals(asked)
                    && row.policy().equals(contender.key()))
        .findFirst();
  }

  private static String number(Optional<BudgetRow> row) {
    return row.map(BudgetTables::times).orElse("");
  }

  private static String times(BudgetRow row) {
    return Double.isNaN(row.times())
        ? "does not fit"
        : String.format(Locale.ROOT, "%.3f", row.times());
  }

  private void printBars() {
    System.out.printf("## At the share of the bars%n%n| policy |");
    steps().forEach(step -> System.out.printf(" %s |", step));
    System.out.printf(" mean |%n|---|%s---|%n", "---|".repeat(steps().size()));
    System.out.print("| share of the peak, % |");
    for (String step : steps()) {
      System.out.print(
          row(step, BudgetExperiment.BAR, Contender.AUTO)
                  .map(row -> String.format(Locale.ROOT, " %.0f", 100 * row.share()))
                  .orElse("")
              + " |");
    }
    System.out.println(" |");
    for (Contender contender : contenders()) {
      List<Optional<BudgetRow>> found =
          steps().stream().map(step -> row(step, BudgetExperiment.BAR, contender)).toList();
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %.3f |%n",
          contender.key(),
          found.stream().map(BudgetTables::number).collect(Collectors.joining(" | ")),
          found.stream()
              .flatMap(Optional::stream)
              .mapToDouble(BudgetRow::times)
              .average()
              .orElse(Double.NaN));
    }
    printTargets();
  }

  private void printTargets() {
    double sum = 0;
    int count = 0;
    List<String> above = new ArrayList<>();
    for (String step : steps()) {
      Optional<BudgetRow> auto = row(step, BudgetExperiment.BAR, Contender.AUTO);
      Optional<BudgetRow> bound = row(step, BudgetExperiment.BAR, Contender.BOUND);
      if (auto.isEmpty() || bound.isEmpty()) {
        continue;
      }
      sum += auto.get().times();
      count++;
      double over = auto.get().times() / bound.get().times();
      if (over > BOUND_BAR) {
        above.add(String.format(Locale.ROOT, "%s (%.3f)", step, over));
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%nMean of auto over %d steps: %.3f, bar %.2f. More than %.2f times the bound: %s.%n",
        count,
        sum / count,
        MEAN_BAR,
        BOUND_BAR,
        above.isEmpty() ? "none" : String.join(", ", above));
  }

  private List<String> shares(String step) {
    return rows.stream()
        .filter(row -> row.step().equals(step) && !row.asked().equals(BudgetExperiment.BAR))
        .map(BudgetRow::asked)
        .distinct()
        .sorted((a, b) -> Double.compare(Double.parseDouble(a), Double.parseDouble(b)))
        .toList();
  }

  private void printStep(String step) {
    System.out.printf("%n## %s%n%n| fast |", step);
    contenders().forEach(each -> System.out.printf(" %s |", each.key()));
    System.out.printf(" auto follows |%n|---|%s---|%n", "---|".repeat(contenders().size()));
    for (String share : shares(step)) {
      System.out.printf(
          Locale.ROOT,
          "| %.0f %% | %s | %s |%n",
          100 * Double.parseDouble(share),
          contenders().stream()
              .map(each -> number(row(step, share, each)))
              .collect(Collectors.joining(" | ")),
          row(step, share, Contender.AUTO).map(BudgetRow::planner).orElse(""));
    }
  }

  /** Prints how often {@code auto} follows which planner. */
  private void printFollowed() {
    Map<String, Long> counts =
        rows.stream()
            .filter(row -> row.policy().equals(Contender.AUTO.key()))
            .collect(
                Collectors.groupingBy(BudgetRow::planner, TreeMap::new, Collectors.counting()));
    System.out.printf("%n## What auto follows%n%n| planner | steps and shares |%n|---|---|%n");
    counts.forEach((planner, count) -> System.out.printf("| %s | %d |%n", planner, count));
  }

  private String figure() {
    List<BudgetFigure.Panel> panels = new ArrayList<>();
    for (String step : steps()) {
      List<BudgetFigure.Line> lines = new ArrayList<>();
      for (Contender contender : contenders()) {
        List<BudgetFigure.Point> points =
            shares(step).stream()
                .flatMap(share -> row(step, share, contender).stream())
                .filter(row -> !Double.isNaN(row.times()))
                .map(row -> new BudgetFigure.Point(row.share(), row.times()))
                .toList();
        lines.add(new BudgetFigure.Line(contender, points));
      }
      panels.add(new BudgetFigure.Panel(step, lines));
    }
    return BudgetFigure.draw(panels);
  }
}
