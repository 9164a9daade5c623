package io.idlalayer.middleware.placement.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A replay under every policy, on devices with and without bytes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class TraceReplayContract {
  static final TaskGraph GRAPH = RandomGraphs.chain(8, 640, 1280);
  static final int STEPS = 5;

  /** The policies to try. */
  protected abstract List<PolicyCase> policies();

  /**
   * Some steps.
   *
   * @param nanos that they took
   */
  record Run(PlacementStats before, PlacementStats after, long nanos) {}

  static Run replay(
      PlacementPolicy policy, long fastBytes, Function<DeviceSpec, Arena> arenas, boolean contents)
      throws InterruptedException {
    DeviceSpec fast = Tiers.fast(fastBytes);
    DeviceSpec slow = Tiers.slow(1 << 16);
    VirtualClock clock = new VirtualClock();
    TieredMemory memory =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fast, arenas.apply(fast)),
                new TieredMemory.Tier(slow, arenas.apply(slow))),
            new MemorySettings(4, 512, Tiers.PATIENCE.toNanos(), false),
            clock);
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory))) {
      Run run;
      try (TraceReplay replay = new TraceReplay(GRAPH, placed, contents)) {
        replay.step();
        PlacementStats before = placed.stats();
        long start = clock.nanos();
        for (int i = 0; i < STEPS; i++) {
          replay.step();
        }
        run = new Run(before, placed.stats(), clock.nanos() - start);
      }
      assertThat(memory.verify(contents).problems()).isEmpty();
      return run;
    }
  }

  private static long budget(PolicyCase policy) {
    return policy.allFast() ? GRAPH.peakBytes() : GRAPH.peakBytes() / 2 / 64 * 64;
  }

  @ParameterizedTest
  @MethodSource("policies")
  void arenasWithoutBytes_giveTheSameNumbers(PolicyCase policy) throws Exception {
    Run real = replay(policy.create(), budget(policy), DirectArena::new, true);
    assertThat(replay(policy.create(), budget(policy), HollowArena::new, false)).isEqualTo(real);
    assertThat(real.nanos()).isGreaterThanOrEqualTo(STEPS * GRAPH.fastNanos());
    assertThat(real.after().fastUses() + real.after().slowUses()).isPositive();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void announcedSteps_keepAllBytes(PolicyCase policy) throws Exception {
    TieredMemory memory = Tiers.of(budget(policy), 1 << 16);
    try (PlacedMemory placed =
            new PlacedMemory(memory, policy.create(), PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(GRAPH, placed, true, true)) {
      for (int i = 0; i < STEPS; i++) {
        replay.step();
        assertThat(memory.verify(true).problems()).isEmpty();
      }
      assertThat(placed.stats().policy().planMismatches()).isZero();
    }
  }
}
