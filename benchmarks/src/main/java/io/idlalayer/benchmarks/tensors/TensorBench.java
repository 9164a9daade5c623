package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.placement.EmulatedCache;
import io.idlalayer.benchmarks.trace.RecordedTimes;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.memory.PlacedTensors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Trains a network under one policy after another. The next turn goes through the policies in
 * reverse order. Each training begins with the untrained network.
 */
final class TensorBench {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long SPARE_BYTES = 1 << 20;
  private static final long WARM_UP_NANOS = 5_000_000_000L;
  private static final int MOST_WARM_UPS = 300;

  private final TensorPlan plan;
  private final TaskGraph graph;
  private final Consumer<String> progress;
  private final Trainee trainee;

  TensorBench(TensorPlan plan, TaskGraph graph, Consumer<String> progress) {
    this.plan = plan;
    this.graph = graph;
    this.progress = progress;
    trainee = trainee(plan);
  }

  static Trainee trainee(TensorPlan plan) {
    return Trainee.of(plan.net(), plan.scale(), plan.batch());
  }

  /**
   * Returns the problems that prevent the run and that are known only when the step is recorded.
   */
  static List<String> problems(TensorPlan plan, TaskGraph graph) {
    List<String> problems = new ArrayList<>();
    long fast = plan.fast().of(graph.peakBytes());
    long largest = graph.largestKernelBytes();
    if (fast < largest && !plan.undersized()) {
      problems.add(
          ("--fast: the budget is %,d bytes, the largest kernel has arguments of %,d bytes (%.3f of"
                  + " the peak); raise it, or use --undersized to have such kernels work on the slow"
                  + " device in part; past the page cache, only kernels in pieces can be larger")
              .formatted(fast, largest, (double) largest / graph.peakBytes()));
    }
    long usableBytes = plan.slowDirectory().toFile().getUsableSpace();
    if (usableBytes < slowBytes(graph)) {
      problems.add(
          "--slow-directory: %s has space for %,d bytes, %,d are needed"
              .formatted(plan.slowDirectory(), usableBytes, slowBytes(graph)));
    }
    return problems;
  }

  /**
   * Returns the size of the slow device. Dead objects can stay until four fifths of the device are
   * used.
   */
  private static long slowBytes(TaskGraph graph) {
    return FastBudget.aligned(2 * graph.peakBytes() + SPARE_BYTES);
  }

  /** Returns the size of a fast device that holds the whole step, with space for fragments. */
  private static long wholeBytes(TaskGraph graph) {
    return FastBudget.aligned(graph.peakBytes() + graph.peakBytes() / 2 + SPARE_BYTES);
  }

  /** The result of a run. */
  record Outcome(long fastBytes, PolicyRow plain, List<PolicyRow> rows, Devices devices) {}

  Outcome run() throws IOException, InterruptedException {
    long whole = wholeBytes(graph);
    long fast = plan.fast().of(graph.peakBytes());
    try (Devices devices =
        new Devices(
            plan.clock(),
            Math.max(whole, fast),
            slowBytes(graph),
            plan.slowDirectory(),
            plan.slowAccess(),
            plan.scale().factor() == 1)) {
      progress.accept(devices.fast().line());
      progress.accept(devices.slow().line());
      PolicyRow plain = new PolicyRow("dram", 0);
      List<PolicyRow> rows = new ArrayList<>();
      for (ComparedPolicy name : plan.policies()) {
        rows.add(new PolicyRow(name.key(), name == ComparedPolicy.ALL_FAST ? whole : fast));
      }
      warmUp(devices);
      List<PolicyRow> order = new ArrayList<>(rows);
      order.add(0, plain);
      for (int turn = 1; turn <= plan.schedule().turns(); turn++) {
        for (PolicyRow row : order) {
          row.startTurn();
          if (row == plain) {
            fit(row);
          } else {
            place(row, devices);
          }
          progress.accept(
              "%s, turn %d: %.3f s a step".formatted(row.name(), turn, row.medianSeconds()));
        }
        Collections.reverse(order);
      }
      return new Outcome(fast, plain, rows, devices);
    }
  }

  /**
   * Trains until the JVM has compiled the code of placed training. Otherwise the first turn would
   * wait for the compiler.
   */
  private void warmUp(Devices devices) throws IOException, InterruptedException {
    if (plan.clock() == ClockKind.VIRTUAL) {
      return;
    }
    try (PlacedMemory memory = devices.open(ComparedPolicy.ALL_FAST.create(), wholeBytes(graph));
        EngineNetwork network = trainee.network(new PlacedTensors(memory, ""))) {
      long end = System.nanoTime() + WARM_UP_NANOS;
      for (int i = 0; i < MOST_WARM_UPS && System.nanoTime() < end; i++) {
        trainee.fit(network);
      }
    }
  }

  private void fit(PolicyRow row) throws IOException, InterruptedException {
    try (EngineNetwork network = trainee.network(new DramTensors())) {
      for (int i = 0; i < plan.schedule().warmUps(); i++) {
        trainee.fit(network);
      }
      for (int i = 0; i < plan.schedule().stepsOfTurn(); i++) {
        long start = System.nanoTime();
        trainee.fit(network);
        row.step((System.nanoTime() - start) / NANOS_PER_SECOND);
      }
      row.digest(Trainee.digest(network));
    }
  }

  /**
   * Returns the time that counts for a policy. For a cache of lines it is only the time of the
   * kernels, because this program counts lines much more slowly than hardware does.
   */
  private static long nanos(PlacedMemory memory, PlacementPolicy policy) {
    return policy instanceof EmulatedCache
        ? memory.stats().computeNanos()
        : memory.memory().clock().nanos();
  }

  private void place(PolicyRow row, Devices devices) throws IOException, InterruptedException {
    PlacementPolicy policy = ComparedPolicy.of(row.name()).create();
    PlacementPolicy timed =
        plan.clock() == ClockKind.VIRTUAL ? new RecordedTimes(policy, graph) : policy;
    try (PlacedMemory memory = devices.open(timed, row.budgetBytes())) {
      try (EngineNetwork placed = trainee.network(new PlacedTensors(memory, ""))) {
        for (int i = 0; i < plan.schedule().warmUps(); i++) {
          trainee.fit(placed);
        }
        StepTraffic.Mark before = StepTraffic.Mark.of(memory, policy);
        for (int i = 0; i < plan.schedule().stepsOfTurn(); i++) {
          long start = nanos(memory, policy);
          trainee.fit(placed);
          row.step((nanos(memory, policy) - start) / NANOS_PER_SECOND);
        }
        row.turn(
            StepTraffic.Mark.of(memory, policy)
                .since(
                    before,
                    plan.schedule().stepsOfTurn(),
                    memory.memory().first(DeviceKind.FAST),
                    memory.memory().first(DeviceKind.SLOW)));
        row.slowSpeed(memory.stats().slowSpeed());
        row.planUse(memory.planUse());
        row.digest(Trainee.digest(placed));
      }
      VerifyReport audit = memory.memory().verify();
      if (!audit.sound()) {
        throw new IllegalStateException(row.name() + ": " + audit.problems());
      }
    }
  }
}
