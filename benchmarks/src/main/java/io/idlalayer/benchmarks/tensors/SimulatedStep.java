package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.EmulatedCache;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.TraceReplay;

/**
 * A recorded step that is replayed under a virtual clock, on devices without bytes. SIMULATED.
 *
 * @param graph the recorded step
 * @param dram speed of the fast device
 * @param slow speed of the slow device
 * @param stores factor for the share of the slow device's bandwidth that stores of kernels reach; 1
 *     for the usual share
 */
record SimulatedStep(TaskGraph graph, DeviceSpeed dram, DeviceSpeed slow, double stores) {
  /** Number of uncounted steps, in which a policy can measure before it follows a plan. */
  private static final int WARM_STEPS = 8;

  private static final int STEPS = 6;
  private static final long DRAM_LATENCY_NANOS = 100;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Returns a step on devices whose speeds have the ratios that {@link DeviceSpeed#slowerThan}
   * gives.
   *
   * @param bytesPerSecond bytes per second that DRAM reads
   */
  static SimulatedStep of(TaskGraph graph, double bytesPerSecond) {
    DeviceSpeed dram = DeviceSpeed.symmetric(bytesPerSecond, DRAM_LATENCY_NANOS);
    return new SimulatedStep(graph, dram, DeviceSpeed.slowerThan(dram), 1);
  }

  /**
   * The mean cost of a step after the uncounted steps.
   *
   * @param seconds time of the step
   * @param hiddenSeconds time of the step if all copies ran beside the kernels at the speed of the
   *     slow device: the longer of the time of the copies and the time of the kernels
   * @param slowBytes bytes that move through the slow device
   */
  record Cost(double seconds, double hiddenSeconds, double slowBytes) {}

  /**
   * Replays steps under a policy.
   *
   * @param policy a policy that was not used before
   * @param fastBytes size of the fast device
   */
  Cost under(PlacementPolicy policy, long fastBytes) throws InterruptedException {
    TieredMemory memory = HollowDevices.memory(graph, fastBytes, dram, slow);
    PolicyEnvironment usual = PolicyEnvironment.of(memory);
    PolicyEnvironment environment =
        new PolicyEnvironment(
            usual.fast(),
            usual.slow(),
            new TierModel(TierModel.DEFAULT.writeEfficiency() * stores));
    try (PlacedMemory placed = new PlacedMemory(memory, policy, environment);
        TraceReplay replay = new TraceReplay(graph, placed, false, true)) {
      for (int i = 0; i < WARM_STEPS; i++) {
        replay.step();
      }
      StepTraffic.Mark start = StepTraffic.Mark.of(placed, policy);
      for (int i = 0; i < STEPS; i++) {
        replay.step();
      }
      StepTraffic all =
          StepTraffic.Mark.of(placed, policy).since(start, STEPS, usual.fast(), usual.slow());
      return cost(all, policy instanceof EmulatedCache);
    }
  }

  private Cost cost(StepTraffic all, boolean lines) {
    double computing = all.computeNanos() / NANOS_PER_SECOND / STEPS;
    double copying =
        (all.bytesSlowToFast() / slow.readBytesPerSecond()
                + all.bytesFastToSlow() / slow.writeBytesPerSecond())
            / STEPS;
    double slowBytes = (double) all.bytes() / STEPS;
    return lines
        ? new Cost(computing, computing, slowBytes)
        : new Cost(all.nanos() / NANOS_PER_SECOND / STEPS, Math.max(computing, copying), slowBytes);
  }
}
