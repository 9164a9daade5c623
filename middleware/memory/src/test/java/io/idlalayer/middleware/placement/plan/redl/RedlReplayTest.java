package io.idlalayer.middleware.placement.plan.redl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.RedlPolicy;
import io.idlalayer.middleware.placement.policies.migrating.SearchedOnline;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Steps under ReDL in virtual time, with and without bytes. */
class RedlReplayTest {
  private static final long MILLI = 1_000_000;
  private static final int STEPS = 5;

  private static PlanDevices devices(long fastBytes, DeviceSpeed slow, DeviceSpeed fast) {
    return new PlanDevices(fastBytes, new TransferTimes(TierModel.DEFAULT, slow, fast), 64, 1);
  }

  private static PlanDevices source(long fastBytes) {
    return devices(fastBytes, DeviceSpeed.symmetric(18e9, 0), DeviceSpeed.symmetric(36e9, 0));
  }

  private static PlacementPolicy redl(RedlPolicy.Mode mode, int layers) {
    return mode == RedlPolicy.Mode.PAPER
        ? new RedlPolicy("redl-paper", mode, new SearchedOnline(), new ImprovedPolicy("rest"))
        : new RedlPolicy(
            "redl",
            mode,
            (step, view) -> Periods.uniform(step, layers),
            new ImprovedPolicy("rest"));
  }

  /** Three kernels that each need another tensor, with space for two. */
  private static TaskGraph turns(long bytes) {
    Tensor a = new Tensor("a", bytes, TensorKind.PARAMETER, false);
    Tensor b = new Tensor("b", bytes, TensorKind.PARAMETER, false);
    Tensor c = new Tensor("c", bytes, TensorKind.PARAMETER, false);
    return new TaskGraph(
        List.of(
            new Kernel("k1", List.of(0), List.of(), 10 * MILLI),
            new Kernel("k2", List.of(1), List.of(), 10 * MILLI),
            new Kernel("k3", List.of(2), List.of(), 10 * MILLI)),
        List.of(a, b, c));
  }

  /**
   * The example of the specification: copies of 5 and of 15 ms beside kernels of 10 ms. Two of
   * three tensors can stay, so that one copy of a step is late, by the 5 ms that its kernel does
   * not hide.
   */
  @Test
  void migration_isHiddenBesideTheKernelsOfThePeriodBefore() throws Exception {
    for (int bytes : new int[] {90, 270}) {
      TaskGraph graph = turns(bytes * 1_000_000L / 64 * 64);
      PeriodRehearsal rehearsal =
          new PeriodRehearsal(graph, source(2 * graph.tensors().get(0).bytes()));
      long nanos = rehearsal.nanos(new Periods(List.of(0, 1, 2)));
      assertThat(nanos / (double) MILLI)
          .as("%d MB", bytes)
          .isCloseTo(bytes == 90 ? 30 : 35, within(0.1));
    }
  }

  private static long nanos(TaskGraph graph, long fastBytes, PlacementPolicy policy)
      throws InterruptedException {
    TieredMemory memory = Tiers.of(Math.max(64, fastBytes / 64 * 64), 1 << 16);
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, true, true)) {
      long start = 0;
      for (int step = 0; step < STEPS; step++) {
        start = memory.clock().nanos();
        replay.step();
        assertThat(memory.verify(true).problems()).isEmpty();
        assertThat(memory.use(Tiers.FAST).highWaterBytes())
            .isLessThanOrEqualTo(memory.use(Tiers.FAST).budgetBytes());
      }
      return memory.clock().nanos() - start;
    }
  }

  /** Every kernel reads the bytes that were written, whatever moves, and nothing is left. */
  @Property(tries = 150)
  void anyStep_keepsItsBytes(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 60) int units,
      @ForAll @IntRange(min = 1, max = 12) int layers,
      @ForAll boolean paper,
      @ForAll boolean pieces)
      throws Exception {
    TaskGraph any = RandomGraphs.any(seed, 12, 12, new RandomGraphs.Sizes(32, 14));
    TaskGraph graph = pieces ? RandomGraphs.inPieces(any, seed) : any;
    RedlPolicy.Mode mode = paper ? RedlPolicy.Mode.PAPER : RedlPolicy.Mode.BY_COST;
    nanos(graph, 64L * units, redl(mode, layers));
  }

  @Property(tries = 20)
  void anyStep_isNotFasterThanAllFast(
      @ForAll long seed, @ForAll @IntRange(min = 4, max = 40) int units) throws Exception {
    TaskGraph graph = RandomGraphs.any(seed, 12, 12, new RandomGraphs.Sizes(64, 14));
    long fast = nanos(graph, 2 * graph.peakBytes() + 64, PlacementName.ALL_FAST.unplanned());
    assertThat(nanos(graph, 64L * units, redl(RedlPolicy.Mode.BY_COST, 2)))
        .isGreaterThanOrEqualTo(fast);
  }

  @Test
  void tensorLargerThanTheFastDevice_staysSlow() throws Exception {
    TaskGraph graph = turns(640);
    for (RedlPolicy.Mode mode : RedlPolicy.Mode.values()) {
      nanos(graph, 128, redl(mode, 1));
    }
  }

  @Test
  void search_findsPeriodsOfAChain() throws Exception {
    TaskGraph graph = RandomGraphs.chain(12, 640, 1280);
    PlanDevices small =
        devices(graph.peakBytes() / 3 / 64 * 64, Tiers.slow(1).speed(), Tiers.FAST_SPEED);
    List<RehearsedSearch.Timed> best = new RehearsedSearch(graph, small).best();
    assertThat(best).hasSize(RehearsedSearch.BEST);
    assertThat(best.get(0).nanos()).isLessThanOrEqualTo(best.get(1).nanos());
    assertThat(new RehearsedSearch(graph, small).best()).isEqualTo(best);
    assertThat(new PeriodRehearsal(graph, small).nanos(best.get(0).periods()))
        .isEqualTo(best.get(0).nanos());
  }

  @Test
  void stepWithoutKernels_isSearchedToo() throws Exception {
    TaskGraph none = new TaskGraph(List.of(), List.of());
    assertThat(new RehearsedSearch(none, source(640)).best())
        .containsExactlyInAnyOrder(
            new RehearsedSearch.Timed(Periods.NONE, 0),
            new RehearsedSearch.Timed(new Periods(List.of(0)), 0));
  }
}
