package io.idlalayer.middleware.placement.plan.autotm;

import static io.idlalayer.middleware.placement.plan.autotm.SourceExamples.UNIT_NANOS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Examples with known best plans. */
class AutoTmSourceTest {
  private static final double ROUNDING = 1e-6;

  @ParameterizedTest
  @CsvSource({
    "0, 127, 127",
    "1, 127, 127",
    "2, 119, 119",
    "3, 112, 110.5",
    "4, 103, 97.5",
    "5, 103, 94",
    "6, 95, 91",
    "7, 88, 84.5",
    "8, 88, 84.5",
    "9, 80, 80",
    "20, 80, 80"
  })
  void best_fiveKernels_isTheKnownTime(int limit, double fixed, double synchronous) {
    TaskGraph graph = SourceExamples.five();
    PlanDevices devices = SourceExamples.devices(limit, 2, 4);
    assertThat(SourceExamples.best(graph, devices, Form.STATIC)).isCloseTo(fixed, within(ROUNDING));
    assertThat(SourceExamples.best(graph, devices, Form.SYNCHRONOUS))
        .isCloseTo(synchronous, within(ROUNDING));
  }

  @Test
  void flowGraph_fiveKernels_hasTheKnownSize() {
    FlowGraph graph = FlowGraph.of(SourceExamples.five(), SourceExamples.devices(7, 2, 4));
    int vertices = graph.flows().stream().mapToInt(Flow::vertices).sum();
    int edges = graph.flows().stream().mapToInt(Flow::edges).sum();
    long configurations = 0;
    int rows = graph.steps();
    for (Flow flow : graph.flows()) {
      rows += 3 * flow.uses();
    }
    for (List<KernelCost> kernel : graph.kernels()) {
      configurations += kernel.get(0).configurations();
      rows += 1 + kernel.get(0).additions().length;
    }
    assertThat(List.of(vertices, edges, (int) configurations, rows))
        .containsExactly(30, 45, 18, 46);
  }

  @ParameterizedTest
  @CsvSource({
    "STATIC, 2, 76",
    "SYNCHRONOUS, 2, 63",
    "WINDOWS, 2, 60",
    "SYNCHRONOUS, 0.25, 73",
    "WINDOWS, 0.25, 66"
  })
  void plan_sixKernels_takesTheKnownTime(Form form, double writes, long units) {
    PlanDevices devices = SourceExamples.devices(4, writes, 4);
    PlacementPlan plan = new AutoTmPlanner(form).plan(SourceExamples.six(), devices);
    assertThat(plan.predictedNanos()).isEqualTo(units * UNIT_NANOS);
    assertThat(plan.boundNanos()).isPositive().isLessThanOrEqualTo(plan.predictedNanos());
  }

  @Test
  void plan_sixKernelsBeside_leavesDuringTheSecondAndComesBackDuringTheFifth() {
    PlacementPlan plan =
        new AutoTmPlanner(Form.WINDOWS).plan(SourceExamples.six(), SourceExamples.devices(4, 2, 4));
    assertThat(plan.places()).isEqualTo(Map.of(0, CreationPlace.FAST, 1, CreationPlace.FAST));
    assertThat(kinds(plan.before(1))).containsExactly(Kind.WRITE_BACK);
    assertThat(kinds(plan.after(1))).containsExactly(Kind.EVICT);
    assertThat(kinds(plan.before(4))).containsExactly(Kind.FETCH_AHEAD);
  }

  private static List<Kind> kinds(List<Move> moves) {
    return moves.stream().map(Move::kind).toList();
  }

  /** A tensor of 4 units that is fast, slow, fast, slow and fast: 2 + 1 + 0 + 1. */
  @Test
  void schedule_tensorThatLeavesTwice_isWrittenOnce() {
    long[] sizes = {4};
    TaskGraph graph =
        new TaskGraph(
            List.of(
                SourceExamples.kernel("k1", 10, sizes, List.of(), List.of(0)),
                SourceExamples.kernel("k2", 10, sizes, List.of(0), List.of()),
                SourceExamples.kernel("k3", 10, sizes, List.of(0), List.of()),
                SourceExamples.kernel("k4", 10, sizes, List.of(0), List.of()),
                SourceExamples.kernel("k5", 10, sizes, List.of(0), List.of())),
            List.of(SourceExamples.tensor("t", 4)));
    PlanDevices devices = SourceExamples.devices(4, 2, 4);
    FlowGraph flows = FlowGraph.of(graph, devices);
    Schedule schedule =
        new Schedule(
            flows,
            Form.SYNCHRONOUS,
            new Prices(flows, Form.SYNCHRONOUS, SourceExamples.deadline()),
            0,
            1);
    schedule.add(
        0,
        new TensorPath(
            new boolean[] {true, false, true, false, true},
            new int[] {0, -1, 0, -1},
            new int[] {-1, 0, -1, 0}));
    // Two uses are slow and read 4 units each.
    assertThat(schedule.nanos()).isCloseTo((50 + 8 + 4) * UNIT_NANOS, within(ROUNDING));
    PlanVerifier.Verdict verdict =
        PlanVerifier.verify(graph, devices, MoveEmitter.emit(flows, schedule));
    assertThat(verdict.problems()).isEmpty();
    assertThat(verdict.nanos()).isEqualTo((50 + 8 + 4) * UNIT_NANOS);
    assertThat(verdict.bytesOut()).isEqualTo(4 * SourceExamples.UNIT_BYTES);
    assertThat(verdict.bytesIn()).isEqualTo(8 * SourceExamples.UNIT_BYTES);
  }

  /** Two ways to run a kernel: 10 ns with 5 bytes beside its arguments, 14 ns with 1. */
  @ParameterizedTest
  @CsvSource({"3, 14, 1", "5, 10, 5"})
  void schedule_twoWaysToRunAKernel_takesTheFasterThatFits(long limit, double nanos, long bytes) {
    KernelCost small = KernelCost.additive(14, new double[0], 1);
    KernelCost large = KernelCost.additive(10, new double[0], 5);
    FlowGraph graph =
        new FlowGraph(
            List.of(),
            List.of(),
            List.of(List.of(small, large)),
            new long[] {limit},
            new long[] {0});
    Schedule schedule =
        new Schedule(
            graph, Form.STATIC, new Prices(graph, Form.STATIC, SourceExamples.deadline()), 0, 1);
    assertThat(schedule.nanos()).isEqualTo(nanos);
    assertThat(schedule.way(0).extraBytes()).isEqualTo(bytes);
    assertThat(schedule.fits()).isTrue();
  }

  /** Sizes 4, 4 and 6 of 10: the last two only fit if the first one is not in their way. */
  @Test
  void outcome_bytesThatCouldBeScattered_haveOffsetsSideBySide() {
    long[] sizes = {4, 4, 6};
    TaskGraph graph =
        new TaskGraph(
            List.of(
                SourceExamples.kernel("k1", 10, sizes, List.of(), List.of(0, 1)),
                SourceExamples.kernel("k2", 10, sizes, List.of(0), List.of()),
                SourceExamples.kernel("k3", 10, sizes, List.of(1), List.of(2))),
            List.of(
                SourceExamples.tensor("a", 4),
                SourceExamples.tensor("b", 4),
                SourceExamples.tensor("c", 6)));
    AutoTmPlanner.Outcome outcome =
        new AutoTmPlanner(Form.SYNCHRONOUS).outcome(graph, SourceExamples.devices(10, 2, 4));
    assertThat(outcome.solves()).isEqualTo(1);
    assertThat(outcome.verdict().problems()).isEmpty();
    assertThat(outcome.plan().predictedNanos()).isEqualTo(30 * UNIT_NANOS);
    assertThat(outcome.plan().offsets()).containsOnlyKeys(0, 1, 2);
    assertThat(Math.abs(outcome.plan().offsets().get(1) - outcome.plan().offsets().get(2)))
        .isIn(4 * SourceExamples.UNIT_BYTES, 6 * SourceExamples.UNIT_BYTES);
  }
}
