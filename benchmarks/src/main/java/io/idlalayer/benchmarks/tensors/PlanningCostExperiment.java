package io.idlalayer.benchmarks.tensors;

import com.sun.management.OperatingSystemMXBean;
import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.memory.PlacedTensors;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the cost of planning under {@code policy: auto}. Trains each network for some seconds on
 * fast memory of max(20 % of the peak, 1.2 times the largest kernel). Measures the processor time
 * of the thread that plans, and the processor time of all other threads. REAL: the kernels, the
 * devices, and both times. Prints a table.
 */
@Command(name = "planning-cost", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class PlanningCostExperiment implements Callable<Integer> {
  private static final double BAR_SHARE = 0.2;
  private static final double LARGEST_KERNELS = 1.2;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long SPARE_BYTES = 1 << 20;
  private static final long MOST_SECONDS_TO_END = 60;

  @Option(names = "--models", split = ",", paramLabel = "NAME", description = "Networks.")
  List<String> models =
      List.of(
          "vgg-s",
          "resnet-s",
          "densenet-s",
          "inception-s",
          "lstm-s",
          "mlp",
          "resnet-d",
          "inception-d",
          "lstm-d");

  @Option(names = "--batch", paramLabel = "N", description = "Examples of a mini-batch.")
  int batch = 16;

  @Option(names = "--seconds", paramLabel = "N", description = "Training of each network.")
  int seconds = 12;

  @Option(
      names = "--slow-directory",
      paramLabel = "DIR",
      description = "Where the slow device's file lies.")
  Path slowDirectory = Path.of("/dev/shm");

  public static void main(String[] options) {
    Experiment.run(new PlanningCostExperiment(), options);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    System.out.printf(
        "Processor time of planning beside the training that it serves (REAL)%n%n"
            + "| network | kernels | tensors | fast, MiB | steps | a step, ms | other threads, ms |"
            + " planning, ms | share, %% | plannings | decided after step | follows |%n"
            + "|---|---|---|---|---|---|---|---|---|---|---|---|%n");
    for (String model : models) {
      measure(ReferenceNet.of(model));
    }
    return 0;
  }

  private static long processNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private void measure(ReferenceNet net) throws IOException, InterruptedException {
    System.err.println(net.key());
    Trainee trainee = Trainee.of(net, new NetScale(1), batch);
    TaskGraph graph = trainee.recorded();
    double share =
        Math.max(
            BAR_SHARE, LARGEST_KERNELS * graph.largestKernelBytes() / (double) graph.peakBytes());
    long fastBytes = FastBudget.aligned((long) (share * graph.peakBytes()));
    long slowBytes = FastBudget.aligned(2 * graph.peakBytes() + SPARE_BYTES);
    AtomicLong planningNanos = new AtomicLong();
    AtomicInteger plannings = new AtomicInteger();
    try (Planning thread = new Planning(Executors.newSingleThreadExecutor(), net.key());
        Devices devices =
            new Devices(
                ClockKind.REAL, fastBytes, slowBytes, slowDirectory, FileAccess.MAPPED, true);
        PlanDesk desk =
            PlanDesk.on(
                work -> thread.executor().execute(() -> count(work, planningNanos, plannings)),
                null,
                System::nanoTime);
        PlacedMemory memory = devices.open(PlacementName.AUTO.create(desk), fastBytes);
        EngineNetwork network = trainee.network(new PlacedTensors(memory, ""))) {
      System.err.println(devices.slow().line());
      long startCpu = processNanos();
      long start = System.nanoTime();
      int steps = 0;
      int planned = 0;
      while (System.nanoTime() - start < seconds * NANOS_PER_SECOND) {
        trainee.fit(network);
        steps++;
        boolean decided = memory.planUse().map(PlanUse::planningNanos).orElse(0L) > 0;
        planned = planned == 0 && decided ? steps : planned;
      }
      double stepMillis = (System.nanoTime() - start) / NANOS_PER_MILLI / steps;
      double planning = planningNanos.get() / NANOS_PER_MILLI;
      double all = (processNanos() - startCpu) / NANOS_PER_MILLI;
      System.out.printf(
          Locale.ROOT,
          "| %s | %,d | %,d | %.1f | %,d | %.1f | %,.0f | %,.0f | %.1f | %d | %s | %s |%n",
          net.key(),
          graph.kernels().size(),
          graph.tensors().size(),
          fastBytes / (double) (1 << 20),
          steps,
          stepMillis,
          all - planning,
          planning,
          100 * planning / all,
          plannings.get(),
          planned == 0 ? "none" : Integer.toString(planned),
          memory.planUse().map(PlanUse::planner).orElse(""));
    }
  }

  /**
   * A thread that plans. {@link #close} waits until the thread has ended, because otherwise its
   * work would be counted for the next network.
   */
  private record Planning(ExecutorService executor, String network) implements AutoCloseable {
    @Override
    public void close() throws InterruptedException {
      executor.shutdownNow();
      if (!executor.awaitTermination(MOST_SECONDS_TO_END, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "the thread that plans for %s has not ended within %d s"
                .formatted(network, MOST_SECONDS_TO_END));
      }
    }
  }

  private static void count(Runnable work, AtomicLong nanos, AtomicInteger count) {
    long start = CpuTime.nanos();
    try {
      work.run();
    } finally {
      nanos.addAndGet(CpuTime.nanos() - start);
      count.incrementAndGet();
    }
  }
}
