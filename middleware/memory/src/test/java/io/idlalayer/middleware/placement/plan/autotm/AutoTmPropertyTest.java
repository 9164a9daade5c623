package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PlacementStats;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.PlannedPolicy;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import io.idlalayer.middleware.placement.trace.TraceReplay;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random steps. */
class AutoTmPropertyTest {
  private static final RandomGraphs.Sizes SIZES = new RandomGraphs.Sizes(640, 6);
  private static final DeviceSpeed FAST = DeviceSpeed.symmetric(4e9, 10);
  private static final DeviceSpeed SLOW = DeviceSpeed.slowerThan(FAST);
  private static final int ALIGN_BYTES = 64;
  private static final int STEPS = 5;
  private static final int MOST_USES = 18;
  private static final int ONE_PIECE = 1 << 20;

  private static PlanDevices devices(long fastBytes) {
    return devices(fastBytes, ONE_PIECE);
  }

  private static PlanDevices devices(long fastBytes, int pieceBytes) {
    TransferTimes times = new TransferTimes(TierModel.DEFAULT, SLOW, FAST);
    return new PlanDevices(fastBytes, times, ALIGN_BYTES, pieceBytes, 1);
  }

  /** Leaves out steps with too many paths to try them all. */
  private static void assumeFewPaths(TaskGraph graph) {
    int uses = 0;
    for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
      uses += graph.users(tensor).size() + (graph.creator(tensor) < 0 ? 1 : 0);
    }
    Assume.that(uses <= MOST_USES);
  }

  private static long budget(TaskGraph graph, int percent) {
    return Math.max(ALIGN_BYTES, graph.peakBytes() * percent / 100 / ALIGN_BYTES * ALIGN_BYTES);
  }

  @Property(tries = 100)
  void schedule_smallStep_isAsGoodAsEveryOther(
      @ForAll long seed, @ForAll @IntRange(min = 10, max = 100) int percent) {
    TaskGraph graph = RandomGraphs.any(seed, 8, 4, SIZES);
    assumeFewPaths(graph);
    PlanDevices devices = devices(budget(graph, percent));
    FlowGraph flows = FlowGraph.of(graph, devices);
    for (Form form : List.of(Form.STATIC, Form.SYNCHRONOUS)) {
      PriceHeuristic.Found found =
          new PriceHeuristic(form, PriceHeuristic.Effort.DEFAULT, SourceExamples.deadline())
              .run(flows);
      Schedule best = found.schedules().get(0);
      long least = ExhaustivePlans.nanos(graph, devices, form == Form.SYNCHRONOUS);
      // Kernels' times are rounded to a nanosecond each.
      assertThat(best.nanos()).isBetween(least - graph.kernels().size() - 1e-3, least + 8 + 1e-3);
      assertThat(found.boundNanos()).isLessThanOrEqualTo(best.nanos() + 1e-3);
      PlanVerifier.Verdict verdict =
          PlanVerifier.verify(graph, devices, MoveEmitter.emit(flows, best));
      assertThat(verdict.problems()).isEmpty();
      assertThat(verdict.highWaterBytes()).isLessThanOrEqualTo(devices.fastBytes());
      assertThat((double) verdict.nanos())
          .isBetween(best.nanos() - 8 - 1e-3, best.nanos() + 8 + 1e-3);
    }
  }

  @Property(tries = 60)
  void plan_beside_isSoundAboveItsBoundAndNeverWorseThanWaiting(
      @ForAll long seed, @ForAll @IntRange(min = 10, max = 100) int percent) {
    TaskGraph graph = RandomGraphs.any(seed, 8, 4, SIZES);
    assumeFewPaths(graph);
    PlanDevices devices = devices(budget(graph, percent));
    AutoTmPlanner.Outcome outcome = new AutoTmPlanner(Form.WINDOWS).outcome(graph, devices);
    assertThat(outcome.verdict().problems()).isEmpty();
    assertThat(outcome.plan().predictedNanos()).isGreaterThanOrEqualTo(graph.fastNanos());
    assertThat(outcome.plan().boundNanos()).isLessThanOrEqualTo(outcome.verdict().nanos());
    if (outcome.solves() == 1) {
      long waiting = ExhaustivePlans.nanos(graph, devices, true);
      assertThat(outcome.verdict().nanos()).isLessThanOrEqualTo(waiting + 8);
    }
  }

  @Property(tries = 20)
  void plan_equalArguments_isEqual(@ForAll long seed, @ForAll Form form) {
    TaskGraph graph = RandomGraphs.any(seed, 12, 8, SIZES);
    PlanDevices devices = devices(budget(graph, 40));
    PlacementPlan plan = new AutoTmPlanner(form).plan(graph, devices);
    assertThat(new AutoTmPlanner(form).plan(graph, devices)).isEqualTo(plan);
  }

  @Property(tries = 60)
  void replay_underAPlan_takesThePredictedTimeAndMovesThePredictedBytes(
      @ForAll long seed, @ForAll Form form, @ForAll @IntRange(min = 20, max = 100) int percent)
      throws InterruptedException {
    boolean exact = replayed(seed, form, percent, ONE_PIECE);
    Statistics.label("nothing was scattered")
        .collect(exact)
        .coverage(all -> all.check(true).percentage(atLeast -> atLeast > 90));
  }

  /** In these steps the first kernel may read a tensor while it is copied to the slow device. */
  @ParameterizedTest
  @CsvSource({"-3, 22", "4, 66", "25, 22", "145, 42", "172, 22"})
  void replay_tensorThatLeavesAcrossTheEndOfTheStep_takesThePredictedTime(long seed, int percent)
      throws InterruptedException {
    assertThat(replayed(seed, Form.WINDOWS, percent, ONE_PIECE)).isTrue();
  }

  /** A kernel waits for a tensor before the moves that precede it. */
  @Test
  void replay_copyThatIsLate_takesThePredictedTime() throws InterruptedException {
    assertThat(replayed(-225, Form.WINDOWS, 70, ONE_PIECE)).isTrue();
  }

  /** In the first step, a tensor that the plan wants on the slow device lies where others go. */
  @Test
  void replay_tensorInTheWayInTheFirstStep_takesThePredictedTimeLater()
      throws InterruptedException {
    assertThat(replayed(-1443, Form.WINDOWS, 99, 4096)).isTrue();
  }

  /** Three parameters of 192 bytes are 576 of 640, but a piece of 512 has space for two only. */
  @Test
  void outcome_fitsByBytesOnly_isPlannedForLess() {
    List<TaskGraph.Tensor> tensors =
        Stream.of("u", "v", "w")
            .map(name -> new TaskGraph.Tensor(name, 192, TaskGraph.TensorKind.PARAMETER, false))
            .toList();
    List<TaskGraph.Kernel> kernels =
        List.of(new TaskGraph.Kernel("k", List.of(0, 1, 2), List.of(), 100));
    TaskGraph graph = new TaskGraph(kernels, tensors);
    AutoTmPlanner planner = new AutoTmPlanner(Form.WINDOWS);
    assertThat(planner.outcome(graph, devices(640, ONE_PIECE)).solves()).isOne();
    AutoTmPlanner.Outcome outcome = planner.outcome(graph, devices(640, 512));
    assertThat(outcome.solves()).isGreaterThan(1);
    assertThat(outcome.placed()).isTrue();
    assertThat(outcome.verdict().highWaterBytes()).isEqualTo(384);
  }

  /** The largest tensors take nearly a piece each. */
  @Property(tries = 60)
  void replay_fastDeviceInSmallPieces_takesThePredictedTime(
      @ForAll long seed, @ForAll @IntRange(min = 30, max = 100) int percent)
      throws InterruptedException {
    boolean exact = replayed(seed, Form.WINDOWS, percent, 4096);
    Statistics.label("nothing was scattered")
        .collect(exact)
        .coverage(all -> all.check(true).percentage(atLeast -> atLeast > 90));
  }

  /**
   * Compares a replay with its prediction, and returns whether it found space for everything. Bytes
   * are compared too: a replay fails if a kernel reads others than were written.
   */
  private static boolean replayed(long seed, Form form, int percent, int pieceBytes)
      throws InterruptedException {
    TaskGraph graph = RandomGraphs.any(seed, 12, 8, SIZES);
    long fastBytes = budget(graph, percent);
    PlanDevices devices = devices(fastBytes, pieceBytes);
    AutoTmPlanner.Outcome outcome = new AutoTmPlanner(form).outcome(graph, devices);
    assertThat(outcome.verdict().problems()).isEmpty();
    DeviceSpec fast = new DeviceSpec("fast", DeviceKind.FAST, fastBytes, ALIGN_BYTES, FAST);
    long slowBytes = 2 * graph.peakBytes() + (1 << 16);
    DeviceSpec slow =
        new DeviceSpec(
            "slow", DeviceKind.SLOW, slowBytes / ALIGN_BYTES * ALIGN_BYTES, ALIGN_BYTES, SLOW);
    VirtualClock clock = new VirtualClock();
    TieredMemory memory =
        new TieredMemory(
            List.of(
                new TieredMemory.Tier(fast, new DirectArena(fast, pieceBytes)),
                new TieredMemory.Tier(slow, new DirectArena(slow))),
            new MemorySettings(4, 512, Tiers.PATIENCE.toNanos(), false),
            clock);
    PlacementPlan followed = outcome.plan();
    PlannedPolicy policy =
        new PlannedPolicy("planned", (step, view) -> followed, new ImprovedPolicy("planned"));
    try (PlacedMemory placed = new PlacedMemory(memory, policy, PolicyEnvironment.of(memory));
        TraceReplay replay = new TraceReplay(graph, placed, true, true)) {
      long nanos = 0;
      long refused = 0;
      long in = 0;
      long out = 0;
      for (int i = 0; i < STEPS; i++) {
        nanos = clock.nanos();
        refused = refused(placed.stats());
        in = bytes(memory, Tiers.SLOW, Tiers.FAST);
        out = bytes(memory, Tiers.FAST, Tiers.SLOW);
        replay.step();
      }
      assertThat(memory.verify(true).problems()).isEmpty();
      assertThat(placed.stats().policy().planMismatches()).isZero();
      boolean exact = refused(placed.stats()) == refused;
      if (outcome.placed()) {
        assertThat(exact).as("all have offsets: nothing looks for space").isTrue();
      }
      if (exact) {
        assertThat(clock.nanos() - nanos).isEqualTo(outcome.plan().predictedNanos());
        assertThat(bytes(memory, Tiers.SLOW, Tiers.FAST) - in)
            .isEqualTo(outcome.verdict().bytesIn());
        assertThat(bytes(memory, Tiers.FAST, Tiers.SLOW) - out)
            .isEqualTo(outcome.verdict().bytesOut());
      }
      return exact;
    }
  }

  /** Returns how often something found no space where it was to be, or others left for it. */
  private static long refused(PlacementStats stats) {
    PlacementStats.ActionCost room =
        stats.actions().getOrDefault(Reason.OUTPUT_SPACE, PlacementStats.ActionCost.NONE);
    return room.done()
        + stats.policy().fallbacks()
        + stats.policy().forcedEvictions()
        + stats.actions().values().stream().mapToLong(PlacementStats.ActionCost::refused).sum();
  }

  private static long bytes(TieredMemory memory, DeviceId from, DeviceId to) {
    return memory.traffic().bytes(from, to);
  }
}
