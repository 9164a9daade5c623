package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.placement.ForwardingPlacementPolicy;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.memory.PlacedTensors;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures the cost of {@code memory.tensors} for a network that fits into the fast memory.
 * Measures the processor time of a training step of a dense network without placement, under {@code
 * policy: auto}, and under a variant of this policy that is called before and after each kernel.
 * The three take turns, so that a busy machine slows all of them alike. REAL. Prints a table. Fails
 * if the trained parameters of the three differ in a bit.
 */
@Command(name = "all-fast", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class AllFastExperiment implements Callable<Integer> {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final int CLASSES = 2;
  private static final long SPARE_BYTES = 1 << 20;

  @Option(names = "--layers", split = ",", paramLabel = "N", description = "Hidden layers.")
  List<Integer> layers = List.of(2, 12);

  @Option(names = "--width", paramLabel = "N", description = "Width of inputs and hidden layers.")
  int width = 16;

  @Option(names = "--rows", paramLabel = "N", description = "Rows of a mini-batch.")
  int rows = 32;

  @Option(
      names = "--two-sizes",
      description = "Every other mini-batch has one row less, so that two steps take turns.")
  boolean twoSizes;

  @Option(names = "--steps", paramLabel = "N", description = "Steps of each turn.")
  int steps = 2_000;

  @Option(names = "--turns", paramLabel = "N", description = "Turns, of which the median counts.")
  int turns = 9;

  @Option(
      names = "--slow-directory",
      paramLabel = "DIR",
      description = "Where the slow device's file lies.")
  Path slowDirectory = Path.of("/dev/shm");

  /** A policy that is called for each kernel of a step, even if it has nothing to do. */
  private static final class AskedForEachKernel extends ForwardingPlacementPolicy {
    AskedForEachKernel(PlacementPolicy policy) {
      super(policy);
    }

    @Override
    public boolean idleIfFast() {
      return false;
    }
  }

  public static void main(String[] options) {
    Experiment.run(new AllFastExperiment(), options);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    System.out.printf(
        "Processor time of a training step that fits the fast memory (REAL)%n%n"
            + "| hidden layers | kernels | without placement, us | `auto`, us | more for a kernel,"
            + " us | asked for each kernel, us | more for a kernel, us | follows |%n"
            + "|---|---|---|---|---|---|---|---|%n");
    for (int hidden : layers) {
      measure(hidden);
    }
    return 0;
  }

  private ModelSpec spec(int hidden) {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", width, 1)),
            List.of(),
            new SampleSchema.Label(
                "y",
                SampleSchema.Task.CLASSIFICATION,
                IntStream.range(0, CLASSES).mapToObj(Integer::toString).toList()),
            null);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Mlp(Collections.nCopies(hidden, width)),
        new ModelSpec.Fit(rows, 1, ModelSpec.Updater.ADAM, 0.001, 0),
        false);
  }

  private void measure(int hidden) throws IOException, InterruptedException {
    Trainee trainee = Trainee.of(spec(hidden), rows);
    TaskGraph graph = trainee.recorded();
    int kernels = graph.kernels().size();
    long bytes = FastBudget.aligned(2 * graph.peakBytes() + SPARE_BYTES);
    try (Devices devices =
            new Devices(ClockKind.REAL, bytes, bytes, slowDirectory, FileAccess.MAPPED, false);
        Devices others =
            new Devices(ClockKind.REAL, bytes, bytes, slowDirectory, FileAccess.MAPPED, false);
        PlanDesk desk = PlanDesk.open(null);
        PlacedMemory memory = devices.open(PlacementName.AUTO.create(desk), bytes);
        PlacedMemory asked =
            others.open(new AskedForEachKernel(PlacementName.AUTO.create(desk)), bytes);
        EngineNetwork plain = trainee.network(new DramTensors());
        EngineNetwork whole = trainee.network(new PlacedTensors(memory, ""));
        EngineNetwork each = trainee.network(new PlacedTensors(asked, ""))) {
      long[][] nanos = new long[3][turns];
      // The JVM compiles code in the first turn, so this turn does not count.
      for (int turn = -1; turn < turns; turn++) {
        long[] now = {turn(trainee, plain), turn(trainee, whole), turn(trainee, each)};
        for (int arm = 0; arm < now.length && turn >= 0; arm++) {
          nanos[arm][turn] = now[arm];
        }
      }
      String bits = Trainee.digest(plain);
      if (!bits.equals(Trainee.digest(whole)) || !bits.equals(Trainee.digest(each))) {
        throw new IllegalStateException("placement has changed the bits of the network");
      }
      double without = micros(nanos[0]);
      double placed = micros(nanos[1]);
      double slow = micros(nanos[2]);
      System.out.printf(
          Locale.ROOT,
          "| %d | %d | %.1f | %.1f | %.2f | %.1f | %.2f | %s |%n",
          hidden,
          kernels,
          without,
          placed,
          (placed - without) / kernels,
          slow,
          (slow - without) / kernels,
          memory.planUse().map(PlanUse::planner).orElse(""));
    }
  }

  /** Returns the mean processor time of a step in nanoseconds, over the steps of a turn. */
  private long turn(Trainee trainee, EngineNetwork network) throws InterruptedException {
    long start = CpuTime.nanos();
    for (int step = 0; step < steps; step++) {
      trainee.fit(network, twoSizes && step % 2 == 1 ? rows - 1 : rows);
    }
    return (CpuTime.nanos() - start) / steps;
  }

  private static double micros(long[] turns) {
    long[] sorted = turns.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2] / NANOS_PER_MICRO;
  }
}
