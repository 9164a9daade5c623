package io.idlalayer.middleware.placement.plan.recompute;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.FaultyArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.plan.Plans;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import io.idlalayer.testkit.Tries;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Devices that fail in the middle of a step that computes tensors again. */
class RecomputeFaultTest {
  private static final int SEEDS = Tries.choose(12, 40);
  private static final int MOST_PUTS = 60;

  /** A graph and its plan. */
  private record Planned(TaskGraph graph, PlanDevices devices, PlacementPlan plan) {
    static Planned of(long seed) {
      TaskGraph any = ForwardAndBack.of(seed, 10);
      // So short that copies cannot be hidden beside them.
      TaskGraph graph = any.timed(any.kernels().stream().mapToLong(kernel -> 50).toArray());
      long budget = Math.max(graph.peakBytes() / 2, graph.largestKernelBytes());
      PlanDevices devices = Plans.devices((budget + 63) / 64 * 64);
      PlacementPlan plan = new RecomputingPlanner(new AutoVmPlanner()).plan(graph, devices);
      return new Planned(graph, devices, plan);
    }
  }

  /** A memory whose slow device may fail, and which follows a plan. */
  private static final class Scene implements AutoCloseable {
    final TaskGraph graph;
    final FaultyArena slow;
    final TieredMemory memory;
    final PlacedMemory placed;

    Scene(Planned planned) {
      graph = planned.graph();
      PlanDevices devices = planned.devices();
      PlacementPlan plan = planned.plan();
      DeviceSpec near = spec("fast", DeviceKind.FAST, devices.fastBytes(), devices.times().fast());
      DeviceSpec far =
          spec(
              "slow",
              DeviceKind.SLOW,
              devices.alignedBytes(2 * graph.peakBytes()),
              devices.times().slow());
      slow = new FaultyArena(far);
      memory =
          new TieredMemory(
              List.of(
                  new TieredMemory.Tier(near, new FaultyArena(near)),
                  new TieredMemory.Tier(far, slow)),
              MemorySettings.DEFAULT,
              new VirtualClock());
      placed =
          new PlacedMemory(
              memory,
              new PlannedPolicy("planned", (step, view) -> plan, new ImprovedPolicy("planned")),
              PolicyEnvironment.of(memory));
    }

    private static DeviceSpec spec(String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
      return new DeviceSpec(name, kind, bytes, speed);
    }

    /** Runs steps that compare every byte; returns whether the device has failed meanwhile. */
    boolean fails(int steps) throws InterruptedException {
      try (TraceReplay replay = new TraceReplay(graph, placed, true, true)) {
        for (int i = 0; i < steps; i++) {
          replay.step();
        }
        return false;
      } catch (DeviceFailureException failed) {
        return true;
      }
    }

    @Override
    public void close() throws InterruptedException {
      placed.close();
    }
  }

  @Test
  void step_afterAFailure_computesTensorsAgainAsBefore() throws Exception {
    int failures = 0;
    int plans = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Planned planned = Planned.of(seed);
      if (planned.plan().recomputation().isEmpty()) {
        continue;
      }
      plans++;
      for (int puts = 0; puts < MOST_PUTS; puts++) {
        try (Scene scene = new Scene(planned)) {
          scene.slow.failAfter(puts, FaultyArena.Fault.BROKEN);
          boolean failed = scene.fails(2);
          boolean struck = scene.slow.healthyPuts.get() < 0;
          scene.slow.fault = FaultyArena.Fault.NONE;
          failures += failed ? 1 : 0;
          assertThat(scene.memory.objects()).isEmpty();
          assertThat(scene.memory.verify(true).problems()).isEmpty();
          assertThat(scene.fails(2)).isFalse();
          assertThat(scene.memory.objects()).isEmpty();
          assertThat(scene.memory.use(FAST).highWaterBytes())
              .isLessThanOrEqualTo(planned.devices().fastBytes());
          if (!struck) {
            break;
          }
        }
      }
    }
    assertThat(plans).isGreaterThan(SEEDS / 4);
    assertThat(failures).isPositive();
  }
}
