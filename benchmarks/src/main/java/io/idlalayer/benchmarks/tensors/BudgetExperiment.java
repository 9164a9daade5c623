package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Policies with fast memory of 5 to 100 % of a step's peak, and what they would take if all copies
 * were hidden behind computing (figure 4.10 of Hildebrand 2022). Replays recorded steps under a
 * virtual clock. SIMULATED. Prints a table and draws a figure. Arguments: bytes a second that DRAM
 * reads, the SVG file to write, then recorded steps ({@code idla bench tensors --record}).
 */
public final class BudgetExperiment {
  private static final List<Double> SHARES = List.of(0.05, 0.1, 0.2, 0.35, 0.5, 0.68, 0.85, 1.0);
  private static final List<ComparedPolicy> POLICIES =
      List.of(
          ComparedPolicy.AUTO,
          ComparedPolicy.CACHED_ARRAYS,
          ComparedPolicy.CACHED_ARRAYS_LM,
          ComparedPolicy.CACHED_ARRAYS_LMP,
          ComparedPolicy.VDNN_ALL,
          ComparedPolicy.TWO_LEVEL_MEMORY_M,
          ComparedPolicy.ALL_SLOW);

  /** The policies in the figure of the source, and the policies of the product that move. */
  private static final List<ComparedPolicy> DRAWN =
      List.of(ComparedPolicy.CACHED_ARRAYS_LM, ComparedPolicy.CACHED_ARRAYS, ComparedPolicy.AUTO);

  private BudgetExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 3) {
      throw new IllegalArgumentException("arguments: BYTES-PER-SECOND FIGURE.svg FILE...");
    }
    double bytesPerSecond = Double.parseDouble(args[0]);
    List<BudgetFigure.Panel> panels = new ArrayList<>();
    for (String file : Arrays.asList(args).subList(2, args.length)) {
      Path path = Path.of(file);
      TaskGraph graph = TaskGraphFile.read(path);
      System.out.printf(
          Locale.ROOT,
          "%n## %s: peak %.1f MiB, %.4f s with everything fast%n%n",
          name(path),
          graph.peakBytes() / (double) (1 << 20),
          graph.fastNanos() / 1e9);
      System.out.print("| fast |");
      POLICIES.forEach(each -> System.out.printf(" %s | hidden |", each.key()));
      System.out.println("\n|---|" + "---|---|".repeat(POLICIES.size()));
      List<List<SimulatedStep.Cost>> costs = costs(SimulatedStep.of(graph, bytesPerSecond));
      double fast = graph.fastNanos() / 1e9;
      for (int i = 0; i < SHARES.size(); i++) {
        System.out.println(row(SHARES.get(i), costs.get(i), fast));
      }
      panels.add(
          new BudgetFigure.Panel(
              name(path), DRAWN.stream().map(it -> line(it, costs, fast)).toList()));
    }
    Files.writeString(Path.of(args[1]), BudgetFigure.draw(SHARES, panels));
  }

  private static String name(Path file) {
    return file.getFileName().toString().replace(".json", "");
  }

  /** For each share, those of all policies. */
  private static List<List<SimulatedStep.Cost>> costs(SimulatedStep step)
      throws InterruptedException {
    List<List<SimulatedStep.Cost>> costs = new ArrayList<>();
    for (double share : SHARES) {
      long fastBytes = FastBudget.aligned((long) (share * step.graph().peakBytes()));
      List<SimulatedStep.Cost> each = new ArrayList<>();
      for (ComparedPolicy name : POLICIES) {
        each.add(step.under(name.create(), fastBytes));
      }
      costs.add(each);
    }
    return costs;
  }

  private static String row(double share, List<SimulatedStep.Cost> costs, double fast) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "| %.0f %% |", 100 * share));
    for (SimulatedStep.Cost cost : costs) {
      row.append(
          String.format(
              Locale.ROOT, " %.2f | %.2f |", cost.seconds() / fast, cost.hiddenSeconds() / fast));
    }
    return row.toString();
  }

  private static BudgetFigure.Line line(
      ComparedPolicy policy, List<List<SimulatedStep.Cost>> costs, double fast) {
    int column = POLICIES.indexOf(policy);
    return new BudgetFigure.Line(
        policy.key(),
        costs.stream().map(each -> each.get(column).seconds() / fast).toList(),
        costs.stream().map(each -> each.get(column).hiddenSeconds() / fast).toList());
  }
}
