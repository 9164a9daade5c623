package io.idlalayer.benchmarks.trace;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.middleware.capacity.bound.TrafficBound;
import io.idlalayer.middleware.capacity.bound.TrafficBound.Granularity;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import io.idlalayer.middleware.placement.trace.RandomGraphs.Sizes;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class TrafficBoundPropertyTest {
  private static final int GRAPHS = 300;
  private static final Set<ComparedPolicy> LINES =
      Set.of(
          ComparedPolicy.PAGE_LRU,
          ComparedPolicy.TWO_LEVEL_MEMORY,
          ComparedPolicy.TWO_LEVEL_MEMORY_M);
  private static final int STEPS = 7;

  @Property(tries = 100)
  void bytes_everyPolicy_movesAtLeastAsMany(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int budgetUnits,
      @ForAll boolean inPieces)
      throws InterruptedException {
    TaskGraph graph = graph(seed, inPieces);
    long budget = 64L * budgetUnits;
    long slack = Math.min(2 * budget, graph.lastingBytes());
    for (ComparedPolicy name : ComparedPolicy.values()) {
      // Whole tensors leave gaps: twice the peak may not be enough room. A page is larger than
      // these budgets.
      if ((name == ComparedPolicy.ALL_FAST && 3 * graph.peakBytes() > budget)
          || name == ComparedPolicy.PAGE_LRU) {
        continue;
      }
      StepTraffic traffic = replay(graph, name, budget);
      Granularity granularity = LINES.contains(name) ? Granularity.LINES : Granularity.OBJECTS;
      long bound = TrafficBound.bytes(graph, budget, granularity);
      assertThat(STEPS * bound).as(name.key()).isLessThanOrEqualTo(traffic.bytes() + slack);
    }
  }

  private static TaskGraph graph(long seed, boolean inPieces) {
    TaskGraph graph = RandomGraphs.any(seed, 10, 6, new Sizes(64, 4));
    return inPieces ? RandomGraphs.inPieces(graph, seed) : graph;
  }

  private static StepTraffic replay(TaskGraph graph, ComparedPolicy name, long budget)
      throws InterruptedException {
    TieredMemory memory = Tiers.of(budget, 1 << 20, new VirtualClock());
    PlacementPolicy policy = name.create();
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, true)) {
      replay.step();
      StepTraffic.Mark before = StepTraffic.Mark.of(placed, policy);
      for (int i = 0; i < STEPS; i++) {
        replay.step();
      }
      assertThat(memory.verify(true).problems()).isEmpty();
      return StepTraffic.Mark.of(placed, policy).since(before, STEPS, FAST, SLOW);
    }
  }

  @Property(tries = 300)
  void bytes_bestPlacementOfWholeTensors_movesAtLeastAsMany(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 10) int budgetUnits) {
    TaskGraph graph = RandomGraphs.any(seed, 5, 4, new Sizes(10, 4));
    long budget = 10L * budgetUnits;
    long least = new ExhaustivePlacement(graph, budget).bytes();
    long bound = TrafficBound.bytes(graph, budget, Granularity.OBJECTS);
    assertThat(bound).isBetween(0L, least);
    assertThat(TrafficBound.bytes(graph, budget, Granularity.LINES)).isLessThanOrEqualTo(bound + 1);
  }

  /** Cutting tensors helps a little in about one graph of a thousand. */
  @Example
  void tensorsOfOneSize_theBoundIsAllButReached() {
    int reached = 0;
    for (int seed = 0; seed < GRAPHS; seed++) {
      TaskGraph graph = RandomGraphs.any(seed, 6, 5, new Sizes(1000, 1));
      long budget = 1000L * (seed % 4);
      long least = new ExhaustivePlacement(graph, budget).bytes();
      long bound = TrafficBound.bytes(graph, budget, Granularity.OBJECTS);
      assertThat(bound).isBetween(least / 2, least);
      reached += bound >= least - 1 ? 1 : 0;
    }
    assertThat(reached).isGreaterThan(GRAPHS * 98 / 100);
  }

  @Property(tries = 50)
  void nanos_everyPolicyOfObjects_takesAtLeastAsLong(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int budgetUnits,
      @ForAll boolean inPieces)
      throws InterruptedException {
    TaskGraph graph = graph(seed, inPieces);
    long budget = 64L * budgetUnits;
    DeviceSpeed slow = DeviceSpeed.slowerThan(Tiers.FAST_SPEED);
    long bound = TrafficBound.nanos(graph, budget, slow, TierModel.DEFAULT);
    assertThat(bound).isGreaterThanOrEqualTo(graph.fastNanos());
    // Closing the circle, and what two copies in the background may still have to do.
    double slackBytes = Math.min(2 * budget, graph.lastingBytes()) + 2 * 4 * 64;
    double slack = slackBytes / (slow.writeBytesPerSecond() * 0.33) * 1e9 + STEPS;
    for (ComparedPolicy name : ComparedPolicy.values()) {
      if (!LINES.contains(name)
          && (name != ComparedPolicy.ALL_FAST || 3 * graph.peakBytes() <= budget)) {
        StepTraffic traffic = replay(graph, name, budget);
        assertThat((double) STEPS * bound).as(name.key()).isLessThan(traffic.nanos() + slack);
      }
    }
  }
}
