package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.trace.HollowArena;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Carries out plans of a step in virtual time, on devices without bytes, with the policy and the
 * allocator that training has. So it sees what a planner does not: scattered space, and what other
 * objects do. One thread.
 */
final class PlanRehearsal {
  /** Steps before the measured ones, until objects are where the plan leaves them. */
  private static final int WARM_STEPS = 3;

  private static final int MEASURED_STEPS = 3;

  /** Most times that the limit is lowered for a planner whose plan lacks space. */
  private static final int MOST_TRIES = 10;

  /** Share of the limit that is left when it is lowered. */
  private static final double LOWERED = 0.98;

  /** Time in nanoseconds after which a planner gets no further try. */
  private static final long LONGEST_NANOS = 10_000_000_000L;

  private static final long SPARE_BYTES = 1 << 20;

  private final TaskGraph graph;
  private final PlanDevices devices;
  private final LongSupplier nanoTime;
  private boolean cut;

  /**
   * @param graph with measured times of its kernels
   * @param nanoTime the time, in nanoseconds, by which tries are limited
   */
  PlanRehearsal(TaskGraph graph, PlanDevices devices, LongSupplier nanoTime) {
    this.graph = graph;
    this.devices = devices;
    this.nanoTime = nanoTime;
  }

  /**
   * A replayed plan.
   *
   * @param nanos duration of a step in the steady state
   * @param sound whether everything that was wanted on the fast device found space there
   */
  record Replayed(PlacementPlan plan, long nanos, boolean sound) {}

  /**
   * Returns the nanoseconds of a step under {@code cached-arrays}.
   *
   * @throws DeviceFullException if the step does not fit the devices
   */
  long unplannedNanos() throws InterruptedException {
    return replay(PlacementPlan.NONE, new ImprovedPolicy("rehearsal")).nanos();
  }

  /** Returns whether a planner or its tries ended because too much time had passed. */
  boolean cut() {
    return cut;
  }

  /**
   * Returns the plan of a planner that replays fastest. The planner plans for less and less memory
   * until one of its plans finds space for all that it wants, or too much time has passed.
   *
   * @throws DeviceFullException if the step does not fit the devices under any of the plans
   * @throws PlanRefusedException if the planner refuses its first try
   */
  Replayed best(Planner planner) throws InterruptedException {
    Replayed best = new Replayed(PlacementPlan.NONE, Long.MAX_VALUE, false);
    double limit = devices.fastBytes();
    Set<PlacementPlan> replayed = new HashSet<>();
    long start = nanoTime.getAsLong();
    for (int i = 0; i <= MOST_TRIES; i++, limit *= LOWERED) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while a step was planned");
      }
      List<PlacementPlan> plans;
      try {
        plans = timed(planner, devices.withFastBytes((long) limit));
      } catch (PlanRefusedException refusal) {
        cut |= refusal.passing();
        if (best.plan().isEmpty()) {
          throw refusal;
        }
        return best;
      }
      if (plans.isEmpty()) {
        return best;
      }
      for (PlacementPlan plan : plans) {
        if (replayed.add(plan)) {
          Replayed next = replay(plan);
          best = next.nanos() < best.nanos() ? next : best;
        }
      }
      if (best.sound() || planner.takesLong()) {
        break;
      }
      if (i < MOST_TRIES && nanoTime.getAsLong() - start > LONGEST_NANOS) {
        cut = true;
        break;
      }
    }
    return best;
  }

  private List<PlacementPlan> timed(Planner planner, PlanDevices limited) {
    long start = nanoTime.getAsLong();
    try {
      return planner.candidates(graph, limited);
    } finally {
      cut |= nanoTime.getAsLong() - start >= planner.longestNanos();
    }
  }

  /** Replays a plan. */
  Replayed replay(PlacementPlan plan) throws InterruptedException {
    PlacementPolicy policy =
        new PlannedPolicy("rehearsal", (step, view) -> plan, new ImprovedPolicy("rehearsal"));
    return replay(plan, policy);
  }

  private Replayed replay(PlacementPlan plan, PlacementPolicy policy) throws InterruptedException {
    VirtualClock clock = new VirtualClock();
    TieredMemory memory = memory(clock);
    PolicyEnvironment usual = PolicyEnvironment.of(memory);
    PolicyEnvironment environment =
        new PolicyEnvironment(usual.fast(), usual.slow(), devices.times().model());
    try (PlacedMemory placed = new PlacedMemory(memory, policy, environment);
        TraceReplay replay = new TraceReplay(graph, placed, false, true)) {
      for (int step = 0; step < WARM_STEPS; step++) {
        replay.step();
      }
      PlacementStats before = placed.stats();
      long start = clock.nanos();
      for (int step = 0; step < MEASURED_STEPS; step++) {
        replay.step();
      }
      long nanos = (clock.nanos() - start) / MEASURED_STEPS;
      PlacementStats after = placed.stats();
      return new Replayed(plan, nanos, lacks(after) == lacks(before));
    }
  }

  /** Returns how often an object found no space, or others were evicted for it. */
  private static long lacks(PlacementStats stats) {
    long refused =
        stats.actions().values().stream().mapToLong(PlacementStats.ActionCost::refused).sum();
    return refused + stats.policy().fallbacks() + stats.policy().forcedEvictions();
  }

  private TieredMemory memory(VirtualClock clock) {
    long slowBytes = 2 * graph.peakBytes() + SPARE_BYTES;
    return new TieredMemory(
        List.of(
            tier("fast", DeviceKind.FAST, devices.fastBytes(), devices.times().fast()),
            tier("slow", DeviceKind.SLOW, slowBytes, devices.times().slow())),
        MemorySettings.DEFAULT,
        clock);
  }

  private TieredMemory.Tier tier(String name, DeviceKind kind, long bytes, DeviceSpeed speed) {
    int align = Math.toIntExact(devices.granuleBytes());
    DeviceSpec spec = new DeviceSpec(name, kind, devices.alignedBytes(bytes), align, speed);
    // The slow device has pieces of its own.
    return new TieredMemory.Tier(
        spec,
        kind == DeviceKind.FAST
            ? new HollowArena(spec, devices.pieceBytes())
            : new HollowArena(spec));
  }
}
