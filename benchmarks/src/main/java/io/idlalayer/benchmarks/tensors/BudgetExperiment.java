package io.idlalayer.benchmarks.tensors;

import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.trace.TaskGraphFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Policies with fast memory of 5 to 100 % of a step's peak, and what they would take if all copies
 * were hidden behind computing (figure 4.10 of Hildebrand 2022). Replays recorded steps under a
 * virtual clock. SIMULATED. Arguments: bytes a second that DRAM reads, then recorded steps ({@code
 * idla bench tensors --record}).
 */
public final class BudgetExperiment {
  private static final List<Double> SHARES = List.of(0.05, 0.1, 0.2, 0.35, 0.5, 0.68, 0.85, 1.0);
  private static final List<PlacementName> POLICIES =
      List.of(
          PlacementName.CACHED_ARRAYS,
          PlacementName.CACHED_ARRAYS_LM,
          PlacementName.CACHED_ARRAYS_LMP,
          PlacementName.VDNN_ALL,
          PlacementName.TWO_LEVEL_MEMORY_M,
          PlacementName.ALL_SLOW);

  private BudgetExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 2) {
      throw new IllegalArgumentException("arguments: BYTES-PER-SECOND FILE...");
    }
    double bytesPerSecond = Double.parseDouble(args[0]);
    for (String file : Arrays.asList(args).subList(1, args.length)) {
      Path path = Path.of(file);
      TaskGraph graph = TaskGraphFile.read(path).graph();
      System.out.printf(
          Locale.ROOT,
          "%n%s: peak %.1f MiB, %.4f s with everything fast%n%n",
          path.getFileName(),
          graph.peakBytes() / (double) (1 << 20),
          graph.fastNanos() / 1e9);
      System.out.print("| fast |");
      POLICIES.forEach(each -> System.out.printf(" %s | hidden |", each.key()));
      System.out.println("\n|---|" + "---|---|".repeat(POLICIES.size()));
      SimulatedStep step = SimulatedStep.of(graph, bytesPerSecond);
      for (double share : SHARES) {
        System.out.println(row(step, share));
      }
    }
  }

  private static String row(SimulatedStep step, double share) throws InterruptedException {
    long fastBytes = FastBudget.aligned((long) (share * step.graph().peakBytes()));
    double fast = step.graph().fastNanos() / 1e9;
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "| %.0f %% |", 100 * share));
    for (PlacementName name : POLICIES) {
      SimulatedStep.Cost cost = step.under(name.create(), fastBytes);
      row.append(
          String.format(
              Locale.ROOT, " %.2f | %.2f |", cost.seconds() / fast, cost.hiddenSeconds() / fast));
    }
    return row.toString();
  }
}
