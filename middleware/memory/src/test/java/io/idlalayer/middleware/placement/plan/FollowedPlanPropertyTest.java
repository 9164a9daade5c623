package io.idlalayer.middleware.placement.plan;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.autotm.AutoTmPlanner;
import io.idlalayer.middleware.placement.plan.autotm.Form;
import io.idlalayer.middleware.placement.plan.autovm.AutoVmPlanner;
import io.idlalayer.middleware.placement.plan.recompute.RecomputingPlanner;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

/** Plans of random networks, followed with real bytes. */
class FollowedPlanPropertyTest {
  private static final List<Planner> PLANNERS =
      List.of(
          new AutoVmPlanner(),
          new AutoTmPlanner(Form.WINDOWS),
          new AutoTmPlanner(Form.SYNCHRONOUS));

  private static final List<Planner> RECOMPUTING =
      List.of(
          new RecomputingPlanner(new AutoVmPlanner()),
          new RecomputingPlanner(new AutoTmPlanner(Form.WINDOWS)));

  /** Kernels so short that copies cannot be hidden beside them. */
  private static final int SHORTER = 50;

  /** The steps of a rehearsal. */
  private static final int WARM_STEPS = 3;

  private static final int STEPS = 3;

  private static TieredMemory.Tier tier(
      String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
    DeviceSpec spec = new DeviceSpec(name, kind, bytes, speed);
    return new TieredMemory.Tier(spec, new DirectArena(spec));
  }

  @Property(tries = 20)
  void followedPlan_staysInTheBudgetAndTakesTheRehearsedTime(
      @ForAll long seed, @ForAll @IntRange(min = 35, max = 95) int percent) throws Exception {
    check(RandomNets.of(seed, 10), percent, PLANNERS);
  }

  @Property(tries = 8)
  void planThatComputesAgain_staysInTheBudgetAndTakesTheRehearsedTime(
      @ForAll long seed, @ForAll @IntRange(min = 35, max = 95) int percent) throws Exception {
    TaskGraph graph = RandomNets.of(seed, 6);
    long[] nanos =
        graph.kernels().stream().mapToLong(kernel -> 1 + kernel.fastNanos() / SHORTER).toArray();
    check(graph.timed(nanos), percent, RECOMPUTING);
  }

  private static void check(TaskGraph graph, int percent, List<Planner> planners)
      throws InterruptedException {
    long budget = Math.max(graph.peakBytes() * percent / 100, graph.largestKernelBytes());
    PlanDevices devices = Plans.devices((budget + 63) / 64 * 64);
    for (Planner planner : planners) {
      PlacementPlan plan = planner.plan(graph, devices);
      Statistics.label(planner.name()).collect(plan.recomputation().isEmpty() ? "once" : "again");
      assertThat(planner.plan(graph, devices)).as("pure").isEqualTo(plan);
      long rehearsed;
      try {
        rehearsed = new PlanRehearsal(graph, devices, () -> 0).replay(plan).nanos();
      } catch (DeviceFullException full) {
        continue;
      }
      assertThat(followed(graph, devices, plan)).as(planner.name()).isEqualTo(rehearsed);
    }
  }

  /** Returns the nanoseconds of a step whose kernels compare every byte that they read. */
  private static long followed(TaskGraph graph, PlanDevices devices, PlacementPlan plan)
      throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    TieredMemory memory =
        new TieredMemory(
            List.of(
                tier("fast", DeviceKind.FAST, devices.fastBytes(), devices.times().fast()),
                tier(
                    "slow",
                    DeviceKind.SLOW,
                    devices.alignedBytes(2 * graph.peakBytes()),
                    devices.times().slow())),
            MemorySettings.DEFAULT,
            clock);
    PlannedPolicy policy =
        new PlannedPolicy("followed", (step, view) -> plan, new ImprovedPolicy("followed"));
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, true, true)) {
      for (int step = 0; step < WARM_STEPS; step++) {
        replay.step();
      }
      long start = clock.nanos();
      for (int step = 0; step < STEPS; step++) {
        replay.step();
      }
      assertThat(memory.use(FAST).highWaterBytes()).isLessThanOrEqualTo(devices.fastBytes());
      assertThat(memory.verify(true).problems()).isEmpty();
      return (clock.nanos() - start) / STEPS;
    }
  }
}
