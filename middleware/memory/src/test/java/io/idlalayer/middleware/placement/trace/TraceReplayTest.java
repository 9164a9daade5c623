package io.idlalayer.middleware.placement.trace;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.Arena;
import io.idlalayer.middleware.memory.DeviceSpec;
import io.idlalayer.middleware.memory.DirectArena;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.MemorySettings;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.memory.VirtualClock;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.ForwardingPlacementPolicy;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TraceReplayTest {
  private static final TaskGraph GRAPH = RandomGraphs.chain(8, 640, 1280);
  private static final int STEPS = 5;

  private static StepTraffic replay(
      PlacementName name, long fastBytes, Function<DeviceSpec, Arena> arenas, boolean contents)
      throws InterruptedException {
    DeviceSpec fast = Tiers.fast(fastBytes);
    DeviceSpec slow = Tiers.slow(1 << 16);
    TieredMemory memory =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fast, arenas.apply(fast)),
                new TieredMemory.Tier(slow, arenas.apply(slow))),
            new MemorySettings(4, 512, Tiers.PATIENCE.toNanos(), false),
            new VirtualClock());
    PlacementPolicy policy = name.create();
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory))) {
      StepTraffic traffic;
      try (TraceReplay replay = new TraceReplay(GRAPH, placed, contents)) {
        replay.step();
        StepTraffic.Mark before = StepTraffic.Mark.of(placed, policy);
        for (int i = 0; i < STEPS; i++) {
          replay.step();
        }
        traffic = StepTraffic.Mark.of(placed, policy).since(before, STEPS, FAST, SLOW);
      }
      assertThat(memory.verify(contents).problems()).isEmpty();
      return traffic;
    }
  }

  private static long budget(PlacementName name) {
    return name == PlacementName.ALL_FAST ? GRAPH.peakBytes() : GRAPH.peakBytes() / 2 / 64 * 64;
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void arenasWithoutBytes_giveTheSameNumbers(PlacementName name) throws Exception {
    StepTraffic real = replay(name, budget(name), DirectArena::new, true);
    assertThat(replay(name, budget(name), HollowArena::new, false)).isEqualTo(real);
    assertThat(real.steps()).isEqualTo(STEPS);
    assertThat(real.nanos()).isGreaterThanOrEqualTo(STEPS * GRAPH.fastNanos());
    assertThat(real.hits() + real.misses()).isPositive();
  }

  @ParameterizedTest
  @EnumSource(PlacementName.class)
  void announcedSteps_keepAllBytes(PlacementName name) throws Exception {
    TieredMemory memory = Tiers.of(budget(name), 1 << 16);
    try (PlacedMemory placed =
            new PlacedMemory(memory, name.create(), PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(GRAPH, placed, true, true)) {
      for (int i = 0; i < STEPS; i++) {
        replay.step();
        assertThat(memory.verify(true).problems()).isEmpty();
      }
      assertThat(placed.stats().policy().planMismatches()).isZero();
    }
  }

  @Test
  void allFast_takesTheRecordedTimeAndMovesNothing() throws Exception {
    StepTraffic traffic = replay(PlacementName.ALL_FAST, GRAPH.peakBytes(), DirectArena::new, true);
    assertThat(traffic.nanos()).isEqualTo(STEPS * GRAPH.fastNanos());
    assertThat(traffic.bytes()).isZero();
    assertThat(traffic.misses()).isZero();
    assertThat(traffic.highWaterBytes()).isEqualTo(GRAPH.peakBytes());
  }

  @Test
  void allSlow_everyUseCrossesOnce() throws Exception {
    StepTraffic traffic = replay(PlacementName.ALL_SLOW, GRAPH.peakBytes(), DirectArena::new, true);
    long reads = 8 * 640L + 7 * 1280 + 8 * (640 + 1280);
    long writes = 8 * 1280L + 8 * 640;
    assertThat(traffic.slowReadBytes()).isEqualTo(STEPS * reads);
    assertThat(traffic.slowWrittenBytes()).isEqualTo(STEPS * writes);
    assertThat(traffic.hits()).isZero();
  }

  @Test
  void replay_recordedSoftEviction_isRepeated() throws Exception {
    TaskGraph.Tensor kept = new TaskGraph.Tensor("w", 64, TaskGraph.TensorKind.PARAMETER, false);
    TaskGraph graph =
        new TaskGraph(
            List.of(
                new TaskGraph.Kernel(
                    "k",
                    List.of(0),
                    List.of(),
                    new TaskGraph.Lifetimes(List.of(), List.of(0), List.of()),
                    1,
                    List.of(),
                    null)),
            List.of(kept));
    TieredMemory memory = Tiers.of(1024, 1024);
    List<MemObject> noted = new ArrayList<>();
    PlacementPolicy noting =
        new ForwardingPlacementPolicy(PlacementName.ALL_FAST.create()) {
          @Override
          public void softEvicted(MemObject object, MemoryView view) {
            noted.add(object);
          }
        };
    try (PlacedMemory placed = new PlacedMemory(memory, noting, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, true)) {
      replay.step();
      assertThat(noted).containsExactlyElementsOf(memory.objects());
    }
  }

  @Test
  void aHollowArena_givesNoObjectAway() {
    try (HollowArena arena = new HollowArena(Tiers.fast(4 << 20))) {
      assertThat(arena.view(0, 1000).capacity()).isEqualTo(1000);
      assertThat(arena.pieceBytes()).isEqualTo(arena.capacityBytes());
      assertThatThrownBy(() -> arena.view(0, 2 << 20))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("2,097,152");
    }
  }
}
