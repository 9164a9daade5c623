package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.RecomputedStep;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.DeskPlans;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.PlanSource;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.Planner;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import io.idlalayer.middleware.placement.plan.recompute.RecomputingPlanner;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares plans in which kernels run again with plans in which each kernel runs once, at shares of
 * a step's peak. Every plan is rehearsed and followed as in the product. But the planners of the
 * two kinds are asked separately, so that their steps can be compared. Replays recorded steps under
 * a virtual clock. SIMULATED. Prints a table of times that are divided by the time of the step with
 * all tensors on the fast device. Arguments: bytes per second that DRAM reads, that the slow device
 * reads, and that the slow device writes, then shares of the peak, then recorded steps ({@code idla
 * bench tensors --record}).
 */
public final class RecomputeExperiment {
  private static final List<Planner> ONCE =
      List.of(new AutoVmPlanner(), new AutoTmPlanner(Form.WINDOWS));
  private static final List<Planner> AGAIN =
      List.of(
          new RecomputingPlanner(new AutoVmPlanner()),
          new RecomputingPlanner(new AutoTmPlanner(Form.WINDOWS)));

  private static final long DRAM_LATENCY_NANOS = 100;
  private static final long SLOW_LATENCY_NANOS = 300;

  private RecomputeExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 5) {
      throw new IllegalArgumentException(
          "arguments: DRAM SLOW-READS SLOW-WRITES SHARE,... FILE...");
    }
    List<Double> shares = Arrays.stream(args[3].split(",")).map(Double::valueOf).toList();
    DeviceSpeed dram = DeviceSpeed.symmetric(Double.parseDouble(args[0]), DRAM_LATENCY_NANOS);
    DeviceSpeed slow =
        new DeviceSpeed(
            Double.parseDouble(args[1]),
            Double.parseDouble(args[2]),
            SLOW_LATENCY_NANOS,
            SLOW_LATENCY_NANOS,
            dram.writeGranuleBytes(),
            dram.maxWriterThreads());
    System.out.println(
        "| step | fast | cached-arrays | each kernel once | its planner | again | its planner |"
            + " kernels again | their time | bound, once | bound of the plan, again |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|");
    for (String file : Arrays.asList(args).subList(4, args.length)) {
      Path path = Path.of(file);
      SimulatedStep step = new SimulatedStep(TaskGraphFile.read(path), dram, slow, 1);
      String name = path.getFileName().toString().replace(".json", "");
      for (double share : shares) {
        System.out.println(row(name, share, step));
      }
    }
  }

  private static String row(String name, double share, SimulatedStep step)
      throws InterruptedException {
    TaskGraph graph = step.graph();
    long fastBytes = FastBudget.aligned((long) (share * graph.peakBytes()));
    double fast = graph.fastNanos() / 1e9;
    double unplanned = step.under(new ImprovedPolicy("cached-arrays"), fastBytes).seconds();
    Followed once = new Followed(ONCE);
    double onceSeconds = step.under(once.policy, fastBytes).seconds();
    Followed again = new Followed(AGAIN);
    double againSeconds = step.under(again.policy, fastBytes).seconds();
    PlacementPlan plan = again.plan;
    RecomputedStep recomputed = plan.recomputation().appliedTo(graph);
    long rerunNanos = 0;
    int reruns = 0;
    for (int k = 0; k < recomputed.kernels().size(); k++) {
      if (recomputed.again().get(k)) {
        reruns++;
        rerunNanos += recomputed.graph().kernels().get(k).fastNanos();
      }
    }
    return String.format(
        Locale.ROOT,
        "| %s | %.0f %% | %.3f | %.3f | %s | %.3f | %s | %d | %.3f | %.3f | %.3f |",
        name,
        100 * share,
        unplanned / fast,
        onceSeconds / fast,
        once.planner(),
        againSeconds / fast,
        again.planner(),
        reruns,
        rerunNanos / 1e9 / fast,
        bound(step, fastBytes) / fast,
        plan.boundNanos() / 1e9 / fast);
  }

  private static double bound(SimulatedStep step, long fastBytes) {
    PlanDevices devices =
        new PlanDevices(
            fastBytes,
            new TransferTimes(TierModel.DEFAULT, step.slow(), step.dram()),
            DeviceSpec.DEFAULT_ALIGN_BYTES,
            1);
    try {
      PlacementPlan plan = new AutoTmPlanner(Form.WINDOWS).plan(step.graph(), devices);
      return Math.max(step.graph().fastNanos(), plan.boundNanos()) / 1e9;
    } catch (PlanRefusedException refused) {
      return step.graph().fastNanos() / 1e9;
    }
  }

  /** A policy that follows the best plan of some planners, with the plan that it follows. */
  private static final class Followed implements PlanSource {
    final PlacementPolicy policy =
        new PlannedPolicy("followed", this, new ImprovedPolicy("followed"));
    private final DeskPlans plans;
    private PlacementPlan plan = PlacementPlan.NONE;

    Followed(List<Planner> planners) {
      plans = new DeskPlans(PlanDesk.on(Runnable::run, null, System::nanoTime), planners);
    }

    String planner() {
      return policy.planUse().map(PlanUse::planner).orElse("");
    }

    @Override
    public PlacementPlan begin(TaskGraph graph, MemoryView view) {
      plan = plans.begin(graph, view);
      return plan;
    }

    @Override
    public void ran(KernelEvent kernel, long nanos, MemoryView view) {
      plans.ran(kernel, nanos, view);
    }

    @Override
    public void ended(MemoryView view) {
      plans.ended(view);
    }

    @Override
    public Optional<PlanUse> use() {
      return plans.use();
    }
  }
}
