package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Compares policies that plan steps with {@code cached-arrays} and other policies, at the budget
 * for the bars and at other shares of a step's peak. The bars are the targets of the product.
 * Replays recorded steps under a virtual clock. SIMULATED. Prints a table. Arguments: bytes per
 * second that DRAM reads, then recorded steps ({@code idla bench tensors --record}).
 */
public final class PlanExperiment {
  private static final List<Double> SHARES = List.of(0.1, 0.2, 0.35, 0.5, 0.68, 0.85);

  /**
   * The budget for the bars is a fifth of the peak, but at least this number times the largest
   * kernel.
   */
  private static final double LARGEST_KERNELS = 1.2;

  private static final double BAR_SHARE = 0.2;
  private static final int PLANNINGS = 5;
  private static final double NANOS_PER_MILLI = 1e6;

  private static final List<ComparedPolicy> POLICIES =
      List.of(
          ComparedPolicy.ALL_SLOW,
          ComparedPolicy.CACHED_ARRAYS_LM,
          ComparedPolicy.VDNN_ALL,
          ComparedPolicy.CACHED_ARRAYS,
          ComparedPolicy.AUTOVM_PRINTED,
          ComparedPolicy.AUTOVM_UNKNOWN,
          ComparedPolicy.AUTO);

  private PlanExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 2) {
      throw new IllegalArgumentException("arguments: BYTES-PER-SECOND FILE...");
    }
    double bytesPerSecond = Double.parseDouble(args[0]);
    System.out.printf(
        Locale.ROOT,
        "| step | fast | %s | planner, why others are not followed | planned in ms |%n",
        POLICIES.stream().map(ComparedPolicy::key).collect(Collectors.joining(" | ")));
    System.out.println("|---|---|" + "---|".repeat(POLICIES.size() + 2));
    for (String file : Arrays.asList(args).subList(1, args.length)) {
      Path path = Path.of(file);
      TaskGraph graph = TaskGraphFile.read(path);
      String name = path.getFileName().toString().replace(".json", "");
      double bar =
          Math.max(
              BAR_SHARE, LARGEST_KERNELS * graph.largestKernelBytes() / (double) graph.peakBytes());
      List<Double> shares = new ArrayList<>(SHARES);
      if (!shares.contains(bar)) {
        shares.add(0, bar);
      }
      for (double share : shares) {
        System.out.println(row(name, share, SimulatedStep.of(graph, bytesPerSecond)));
      }
    }
  }

  private static String row(String name, double share, SimulatedStep step)
      throws InterruptedException {
    TaskGraph graph = step.graph();
    long fastBytes = FastBudget.aligned((long) (share * graph.peakBytes()));
    double fast = graph.fastNanos() / 1e9;
    StringBuilder row =
        new StringBuilder(String.format(Locale.ROOT, "| %s | %.1f %% |", name, 100 * share));
    String planned = "";
    for (ComparedPolicy each : POLICIES) {
      PlacementPolicy policy = each.create();
      double seconds = step.under(policy, fastBytes).seconds();
      row.append(String.format(Locale.ROOT, " %.3f |", seconds / fast));
      planned = policy.planUse().map(PlanExperiment::said).orElse("");
    }
    row.append(
        String.format(Locale.ROOT, " %s | %.1f |", planned, planningMillis(step, fastBytes)));
    return row.toString();
  }

  private static String said(PlanUse use) {
    return use.refused().isEmpty() ? use.planner() : use.planner() + "; " + use.refused();
  }

  /**
   * Returns the time of the fastest of a few plannings, in milliseconds. The JVM has compiled the
   * code by then.
   */
  private static double planningMillis(SimulatedStep step, long fastBytes) {
    DeviceSpeed dram = step.dram();
    PlanDevices devices =
        new PlanDevices(
            fastBytes,
            new TransferTimes(TierModel.DEFAULT, step.slow(), dram),
            DeviceSpec.DEFAULT_ALIGN_BYTES,
            1);
    long best = Long.MAX_VALUE;
    for (int i = 0; i < PLANNINGS; i++) {
      long start = System.nanoTime();
      var unused = new AutoVmPlanner().plan(step.graph(), devices);
      best = Math.min(best, System.nanoTime() - start);
    }
    return best / NANOS_PER_MILLI;
  }
}
