package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.placement.DirectPlans;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.capacity.bound.TrafficBound;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Compares plans of a step with policies that look one kernel ahead. Prints the time of a step
 * relative to the time with all tensors on the fast device, the traffic of the slow device, the
 * predicted time, the bounds, and how long planning took. Replays recorded steps under a virtual
 * clock. SIMULATED; the seconds of planning are measured on this machine. Arguments: bytes per
 * second that DRAM reads, shares of the peak that are fast (0.2,0.5), then recorded steps ({@code
 * idla bench tensors --record}). The fast device gets at least 1.2 times the bytes of the largest
 * kernel.
 */
public final class AutoTmExperiment {
  private static final double LARGEST_KERNELS = 1.2;
  private static final List<ComparedPolicy> POLICIES =
      List.of(
          ComparedPolicy.ALL_SLOW,
          ComparedPolicy.FIRST_TOUCH,
          ComparedPolicy.TWO_LEVEL_MEMORY_M,
          ComparedPolicy.CACHED_ARRAYS_LM,
          ComparedPolicy.CACHED_ARRAYS,
          ComparedPolicy.VDNN_ALL,
          ComparedPolicy.AUTOVM,
          ComparedPolicy.AUTO);

  private AutoTmExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 3) {
      throw new IllegalArgumentException("arguments: BYTES-PER-SECOND SHARE,... FILE...");
    }
    double bytesPerSecond = Double.parseDouble(args[0]);
    for (String file : Arrays.asList(args).subList(2, args.length)) {
      TaskGraph graph = TaskGraphFile.read(Path.of(file));
      System.out.printf(
          Locale.ROOT,
          "%n## %s: %d kernels, %d tensors, peak %.1f MiB, largest kernel %.0f %%, %.4f s all-fast%n",
          Path.of(file).getFileName().toString().replace(".json", ""),
          graph.kernels().size(),
          graph.tensors().size(),
          graph.peakBytes() / (double) (1 << 20),
          100.0 * graph.largestKernelBytes() / graph.peakBytes(),
          graph.fastNanos() / 1e9);
      for (String share : args[1].split(",")) {
        compare(SimulatedStep.of(graph, bytesPerSecond), Double.parseDouble(share));
      }
    }
  }

  private static void compare(SimulatedStep step, double share) throws InterruptedException {
    TaskGraph graph = step.graph();
    double least = LARGEST_KERNELS * graph.largestKernelBytes();
    long fastBytes = FastBudget.aligned((long) Math.max(share * graph.peakBytes(), least));
    double fast = graph.fastNanos();
    System.out.printf(
        Locale.ROOT,
        "%nFast: %.0f %% asked, %.0f %% given%n%n| policy | times all-fast | MiB through slow |%n|---|---|---|%n",
        100 * share,
        100.0 * fastBytes / graph.peakBytes());
    for (ComparedPolicy policy : POLICIES) {
      print(policy.key(), step.under(policy.create(), fastBytes), fast);
    }
    for (Form form : Form.values()) {
      Planner planner = new AutoTmPlanner(form);
      // The plan is always followed, even if cached-arrays is faster.
      PlacementPolicy policy =
          new PlannedPolicy(
              planner.name(), new DirectPlans(planner), PlacementName.CACHED_ARRAYS.unplanned());
      print("plan of " + planner.name(), step.under(policy, fastBytes), fast);
    }
    long bound = TrafficBound.nanos(graph, fastBytes, step.slow(), TierModel.DEFAULT);
    System.out.printf(
        Locale.ROOT,
        "%nBound by bytes: %.3f%n%n| planner | predicted | bound | s to plan |%n|---|---|---|---|%n",
        bound / fast);
    for (Form form : Form.values()) {
      plan(step, fastBytes, new AutoTmPlanner(form));
    }
  }

  private static void print(String name, SimulatedStep.Cost cost, double fast) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %.3f | %.1f |%n",
        name,
        cost.seconds() * 1e9 / fast,
        cost.slowBytes() / (1 << 20));
  }

  private static void plan(SimulatedStep step, long fastBytes, Planner planner) {
    PlanDevices devices =
        new PlanDevices(
            fastBytes,
            new TransferTimes(TierModel.DEFAULT, step.slow(), step.dram()),
            DeviceSpec.DEFAULT_ALIGN_BYTES,
            1);
    long start = System.nanoTime();
    PlacementPlan plan = planner.plan(step.graph(), devices);
    double seconds = (System.nanoTime() - start) / 1e9;
    double fast = step.graph().fastNanos();
    System.out.printf(
        Locale.ROOT,
        "| %s | %.3f | %.3f | %.2f |%n",
        planner.name(),
        plan.predictedNanos() / fast,
        plan.boundNanos() / fast,
        seconds);
  }
}
