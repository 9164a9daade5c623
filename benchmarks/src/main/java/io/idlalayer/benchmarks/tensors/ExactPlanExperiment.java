package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.ExactPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Compares AutoTM's plans by prices with its plans by a solver. Prints the time of a step in both
 * schedules, the solver's bound, the seconds that both searches take, and the time of a step when
 * the plans are replayed. SIMULATED; the seconds are measured on this machine. Arguments: bytes per
 * second that DRAM reads, the share of the peak that is fast (at least 1.2 times the largest
 * kernel), then recorded steps ({@code idla bench tensors --record}). The property {@code
 * -Didla.solver-directory} names the folder of the solver.
 */
public final class ExactPlanExperiment {
  private static final double LARGEST_KERNELS = 1.2;
  private static final double NANOS_PER_SECOND = 1e9;

  private final SimulatedStep step;
  private final long fastBytes;
  private final double fastNanos;

  private ExactPlanExperiment(SimulatedStep step, long fastBytes) {
    this.step = step;
    this.fastBytes = fastBytes;
    fastNanos = step.graph().fastNanos();
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 3) {
      throw new IllegalArgumentException("arguments: BYTES-PER-SECOND SHARE FILE...");
    }
    System.out.println(
        "| step | kernels | cached-arrays | prices: s | replayed "
            + "| fast memory | prices | solved | bound | prices over bound "
            + "| solver | s | replayed |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (String file : Arrays.asList(args).subList(2, args.length)) {
      TaskGraph graph = TaskGraphFile.read(Path.of(file));
      double share = Double.parseDouble(args[1]);
      double least = LARGEST_KERNELS * graph.largestKernelBytes();
      long fastBytes = FastBudget.aligned((long) Math.max(share * graph.peakBytes(), least));
      SimulatedStep step = SimulatedStep.of(graph, Double.parseDouble(args[0]));
      String name = Path.of(file).getFileName().toString().replace(".json", "");
      new ExactPlanExperiment(step, fastBytes).run(name);
    }
  }

  private void run(String name) throws InterruptedException {
    PlanDevices devices =
        new PlanDevices(
            fastBytes,
            new TransferTimes(TierModel.DEFAULT, step.slow(), step.dram()),
            DeviceSpec.DEFAULT_ALIGN_BYTES,
            1);
    double unplanned =
        step.under(PlacementName.CACHED_ARRAYS.unplanned(), fastBytes).seconds()
            * NANOS_PER_SECOND
            / fastNanos;
    long begin = System.nanoTime();
    List<PlacementPlan> priced = new AutoTmPlanner(Form.WINDOWS).candidates(step.graph(), devices);
    double seconds = (System.nanoTime() - begin) / NANOS_PER_SECOND;
    double best = Double.POSITIVE_INFINITY;
    for (PlacementPlan plan : priced) {
      best = Math.min(best, replayed(plan));
    }
    String first =
        String.format(
            Locale.ROOT,
            "| %s | %d | %.3f | %.1f | %.3f ",
            name,
            step.graph().kernels().size(),
            unplanned,
            seconds,
            best);
    List<ExactPlanner.Search> searches = List.of();
    try {
      searches = new ExactPlanner().searches(step.graph(), devices);
    } catch (PlanRefusedException refused) {
      System.out.printf("%s| %s | | | | | | | |%n", first, refused.getMessage());
    }
    for (ExactPlanner.Search search : searches) {
      PlacementPlan plan = search.plan();
      System.out.printf(
          Locale.ROOT,
          "%s| %.0f %% | %.4f | %.4f | %s | %s, %s | %.1f | %s |%n",
          first,
          100 * search.share(),
          search.pricedNanos() / fastNanos,
          search.solvedNanos() / fastNanos,
          bound(search),
          search.answer().solver(),
          search.answer().state(),
          search.searchNanos() / NANOS_PER_SECOND,
          plan == null ? "not sound" : String.format(Locale.ROOT, "%.3f", replayed(plan)));
      first = "| | | | | ";
    }
  }

  /** Returns the bound, and by how much the plan by prices is above the bound. */
  private String bound(ExactPlanner.Search search) {
    if (search.boundNanos() < fastNanos / 2) {
      return "none | ";
    }
    return String.format(
        Locale.ROOT,
        "%.4f | %.2f %%",
        search.boundNanos() / fastNanos,
        100 * (search.pricedNanos() / search.boundNanos() - 1));
  }

  /**
   * Returns the time of a step that follows a plan, divided by the time with all tensors on the
   * fast device.
   */
  private double replayed(PlacementPlan plan) throws InterruptedException {
    PlannedPolicy policy =
        new PlannedPolicy(
            ExactPlanner.NAME, (graph, view) -> plan, PlacementName.CACHED_ARRAYS.unplanned());
    return step.under(policy, fastBytes).seconds() * NANOS_PER_SECOND / fastNanos;
  }
}
