package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.capacity.bound.TrafficBound;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Compares policies with different shares of a step's peak as fast memory. Also prints how long a
 * step would take if all copies were hidden behind computing (figure 4.10 of Hildebrand 2022).
 * Replays recorded steps under a virtual clock. SIMULATED; the seconds are processor time of this
 * machine. Prints a line of CSV for each step, share and policy. {@link BudgetTables} makes tables
 * and a figure from these lines.
 */
@Command(name = "budgets", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class BudgetExperiment implements Callable<Integer> {
  /**
   * The share for the bars, which are the targets of the product: a fifth of the peak, but at least
   * 1.2 times the largest kernel.
   */
  static final String BAR = "bar";

  private static final double BAR_SHARE = 0.2;
  private static final double LARGEST_KERNELS = 1.2;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long SLOW_LATENCY_NANOS = 300;

  @Option(names = "--dram", paramLabel = "BYTES", description = "Bytes a second that DRAM reads.")
  double dramBytesPerSecond = 15e9;

  @Option(
      names = "--slow",
      split = ",",
      paramLabel = "BYTES",
      description =
          "Bytes a second that the slow device reads, and writes; without them 0.27 and 0.10 of"
              + " what DRAM does.")
  @Nullable List<Double> slowBytesPerSecond;

  @Option(
      names = "--shares",
      split = ",",
      paramLabel = "SHARE",
      description =
          "Shares of the peak; bar is the larger of 0.2 and 1.2 times the largest kernel.")
  List<String> shares = List.of(BAR, "0.05", "0.1", "0.2", "0.35", "0.5", "0.68", "0.85", "1");

  @Option(names = "--policies", split = ",", paramLabel = "NAME", description = "Policies.")
  List<String> policies = Contender.keys();

  @Parameters(paramLabel = "FILE", description = "Recorded steps (idla bench tensors --record).")
  List<Path> files = List.of();

  public static void main(String[] options) {
    Experiment.run(new BudgetExperiment(), options);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    System.out.println(BudgetRow.HEADER);
    List<Contender> contenders = policies.stream().map(Contender::of).toList();
    for (Path file : files) {
      TaskGraph graph = TaskGraphFile.read(file);
      String name = file.getFileName().toString().replace(".json", "");
      for (String share : shares) {
        long fastBytes = fastBytes(graph, share);
        for (Contender contender : contenders) {
          System.out.println(row(name, share, fastBytes, contender, step(graph)).line());
        }
      }
    }
    return 0;
  }

  private SimulatedStep step(TaskGraph graph) {
    SimulatedStep usual = SimulatedStep.of(graph, dramBytesPerSecond);
    List<Double> given = slowBytesPerSecond;
    if (given == null) {
      return usual;
    }
    DeviceSpeed slow =
        new DeviceSpeed(
            given.get(0),
            given.get(given.size() - 1),
            SLOW_LATENCY_NANOS,
            SLOW_LATENCY_NANOS,
            usual.dram().writeGranuleBytes(),
            usual.dram().maxWriterThreads());
    return new SimulatedStep(graph, usual.dram(), slow, 1);
  }

  private static long fastBytes(TaskGraph graph, String share) {
    double bytes =
        share.equals(BAR)
            ? Math.max(BAR_SHARE * graph.peakBytes(), LARGEST_KERNELS * graph.largestKernelBytes())
            : Double.parseDouble(share) * graph.peakBytes();
    return FastBudget.aligned((long) bytes);
  }

  private static BudgetRow row(
      String name, String share, long fastBytes, Contender contender, SimulatedStep step)
      throws InterruptedException {
    TaskGraph graph = step.graph();
    double fast = graph.fastNanos() / NANOS_PER_SECOND;
    double given = (double) fastBytes / graph.peakBytes();
    long start = CpuTime.nanos();
    if (contender == Contender.BOUND) {
      double bound = bound(step, fastBytes) / fast;
      return new BudgetRow(
          name, share, given, contender.key(), bound, bound, "", seconds(start), "");
    }
    PlacementPolicy policy = contender.create();
    try {
      SimulatedStep.Cost cost = step.under(policy, fastBytes);
      return new BudgetRow(
          name,
          share,
          given,
          contender.key(),
          cost.seconds() / fast,
          cost.hiddenSeconds() / fast,
          policy.planUse().map(use -> use.planner()).orElse(""),
          seconds(start),
          policy.planUse().map(use -> use.refused().toString()).orElse(""));
    } catch (DeviceFullException | PlanRefusedException none) {
      return new BudgetRow(
          name,
          share,
          given,
          contender.key(),
          Double.NaN,
          Double.NaN,
          "",
          seconds(start),
          none.toString());
    }
  }

  private static double seconds(long startNanos) {
    return (CpuTime.nanos() - startNanos) / NANOS_PER_SECOND;
  }

  /** Returns the larger of the bound by bytes and the bound by prices, in seconds. */
  private static double bound(SimulatedStep step, long fastBytes) {
    TaskGraph graph = step.graph();
    PlanDevices devices =
        new PlanDevices(
            fastBytes,
            new TransferTimes(TierModel.DEFAULT, step.slow(), step.dram()),
            DeviceSpec.DEFAULT_ALIGN_BYTES,
            1);
    long nanos =
        Math.max(
            graph.fastNanos(),
            TrafficBound.nanos(graph, fastBytes, step.slow(), TierModel.DEFAULT));
    try {
      nanos = Math.max(nanos, new AutoTmPlanner(Form.WINDOWS).plan(graph, devices).boundNanos());
    } catch (PlanRefusedException refused) {
      System.err.println(refused.getMessage());
    }
    return nanos / NANOS_PER_SECOND;
  }
}
