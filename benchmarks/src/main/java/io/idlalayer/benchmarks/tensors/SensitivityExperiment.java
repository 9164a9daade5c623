package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What the comparison of policies owes to its assumptions: replays recorded steps under a virtual
 * clock while one assumption at a time is changed. SIMULATED. Arguments: bytes a second that DRAM
 * reads, the share of the peak that is fast, then recorded steps ({@code idla bench tensors
 * --record}).
 */
public final class SensitivityExperiment {
  /**
   * Assumptions, as factors of the usual ones.
   *
   * @param compute how much faster kernels compute
   * @param slow how much faster the slow device is
   * @param stores how much more of the slow device's bandwidth stores of kernels reach
   */
  private record World(String name, double compute, double slow, double stores) {}

  private static final List<World> WORLDS =
      List.of(
          new World("as measured", 1, 1, 1),
          new World("slow device at half speed", 1, 0.5, 1),
          new World("slow device at double speed", 1, 2, 1),
          new World("stores reach half", 1, 1, 0.5),
          new World("stores reach double", 1, 1, 2),
          new World("computing 2 x as fast", 2, 1, 1),
          new World("computing 4 x as fast", 4, 1, 1),
          new World("computing 8 x as fast", 8, 1, 1),
          new World("computing 16 x as fast", 16, 1, 1));

  private final TaskGraph graph;
  private final double bytesPerSecond;
  private final long fastBytes;

  private SensitivityExperiment(TaskGraph graph, double bytesPerSecond, double share) {
    this.graph = graph;
    this.bytesPerSecond = bytesPerSecond;
    fastBytes = FastBudget.aligned((long) (share * graph.peakBytes()));
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 3) {
      throw new IllegalArgumentException("arguments: BYTES-PER-SECOND SHARE FILE...");
    }
    for (String file : Arrays.asList(args).subList(2, args.length)) {
      Path path = Path.of(file);
      System.out.printf("%n%s%n%n", path.getFileName());
      System.out.println(
          "| assumption | all fast, s | improved / all fast | LM / all fast | all slow / all fast"
              + " | best 2LM / improved | best 2LM / LM |");
      System.out.println("|---|---|---|---|---|---|---|");
      TaskGraph graph = TaskGraphFile.read(path).graph();
      SensitivityExperiment experiment =
          new SensitivityExperiment(
              graph, Double.parseDouble(args[0]), Double.parseDouble(args[1]));
      for (World world : WORLDS) {
        System.out.println(experiment.row(world));
      }
    }
  }

  private String row(World world) throws InterruptedException {
    double fast = graph.fastNanos() / world.compute() / 1e9;
    double improved = seconds(ComparedPolicy.CACHED_ARRAYS, world);
    double source = seconds(ComparedPolicy.CACHED_ARRAYS_LM, world);
    double hardware =
        Math.min(
            seconds(ComparedPolicy.TWO_LEVEL_MEMORY, world),
            seconds(ComparedPolicy.TWO_LEVEL_MEMORY_M, world));
    return String.format(
        Locale.ROOT,
        "| %s | %.3f | %.2f | %.2f | %.2f | %.2f | %.2f |",
        world.name(),
        fast,
        improved / fast,
        source / fast,
        seconds(ComparedPolicy.ALL_SLOW, world) / fast,
        hardware / improved,
        hardware / source);
  }

  private double seconds(ComparedPolicy name, World world) throws InterruptedException {
    SimulatedStep usual = SimulatedStep.of(computing(world.compute()), bytesPerSecond);
    SimulatedStep step =
        new SimulatedStep(
            usual.graph(), usual.dram(), scaled(usual.slow(), world.slow()), world.stores());
    return step.under(name.create(), fastBytes).seconds();
  }

  private static DeviceSpeed scaled(DeviceSpeed speed, double factor) {
    return new DeviceSpeed(
        speed.readBytesPerSecond() * factor,
        speed.writeBytesPerSecond() * factor,
        speed.readLatencyNanos(),
        speed.writeLatencyNanos(),
        speed.writeGranuleBytes(),
        speed.maxWriterThreads());
  }

  private TaskGraph computing(double factor) {
    return new TaskGraph(
        graph.kernels().stream().map(kernel -> faster(kernel, factor)).toList(), graph.tensors());
  }

  private static TaskGraph.Kernel faster(TaskGraph.Kernel kernel, double factor) {
    return new TaskGraph.Kernel(
        kernel.name(),
        kernel.reads(),
        kernel.writes(),
        kernel.lifetimes(),
        Math.round(kernel.fastNanos() / factor),
        List.of(),
        kernel.division());
  }
}
