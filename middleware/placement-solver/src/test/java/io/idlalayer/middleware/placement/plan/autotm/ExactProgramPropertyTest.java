package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.trace.RandomGraphs;
import io.idlalayer.middleware.solver.InProcess;
import io.idlalayer.middleware.solver.InProcess.Solver;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random steps. */
class ExactProgramPropertyTest {
  private static final RandomGraphs.Sizes SIZES = new RandomGraphs.Sizes(640, 6);
  private static final DeviceSpeed FAST = DeviceSpeed.symmetric(4e9, 10);
  private static final int ALIGN_BYTES = 64;
  private static final int MOST_USES = 18;

  /** Kernels of a step; the times of each are rounded to a nanosecond. */
  private static final int KERNELS = 8;

  private static PlanDevices devices(TaskGraph graph, int percent) {
    long bytes = Math.max(ALIGN_BYTES, graph.peakBytes() * percent / 100);
    DeviceSpeed slow = DeviceSpeed.slowerThan(FAST);
    TransferTimes times = new TransferTimes(TierModel.DEFAULT, slow, FAST);
    return new PlanDevices(bytes / ALIGN_BYTES * ALIGN_BYTES, times, ALIGN_BYTES, 1);
  }

  private static TaskGraph smallStep(long seed) {
    TaskGraph graph = RandomGraphs.any(seed, KERNELS, 4, SIZES);
    int uses = 0;
    for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
      uses += graph.users(tensor).size() + (graph.creator(tensor) < 0 ? 1 : 0);
    }
    Assume.that(uses <= MOST_USES);
    return graph;
  }

  private static double nanos(FlowGraph flows, Form form, Solver solver) {
    ExactProgram program = new ExactProgram(flows, form, List.of());
    SolverAnswer answer = InProcess.solve(program.program(), program.startValues(), solver);
    return program.nanos(answer.cost());
  }

  @Property(tries = 40)
  void solve_smallStep_isAsGoodAsEveryPlan(
      @ForAll long seed, @ForAll @IntRange(min = 10, max = 100) int percent) {
    TaskGraph graph = smallStep(seed);
    PlanDevices devices = devices(graph, percent);
    FlowGraph flows = FlowGraph.of(graph, devices);
    for (Form form : List.of(Form.STATIC, Form.SYNCHRONOUS)) {
      long least = ExhaustivePlans.nanos(graph, devices, form == Form.SYNCHRONOUS);
      for (Solver solver : Solver.values()) {
        double tolerance = KERNELS + 1e-5 * least;
        assertThat(nanos(flows, form, solver)).isBetween(least - tolerance, least + tolerance);
      }
    }
  }

  /** Copies beside kernels are never worse; a start changes nothing. */
  @Property(tries = 40)
  void solve_copiesBesideKernels_isNotAboveWaitingAndNotAboveItsStart(
      @ForAll long seed, @ForAll @IntRange(min = 10, max = 100) int percent) {
    TaskGraph graph = smallStep(seed);
    PlanDevices devices = devices(graph, percent);
    FlowGraph flows = FlowGraph.of(graph, devices);
    PriceHeuristic prices =
        new PriceHeuristic(Form.WINDOWS, PriceHeuristic.Effort.DEFAULT, SourceExamples.deadline());
    Schedule start = prices.run(flows).schedules().get(0);
    ExactProgram program = new ExactProgram(flows, Form.WINDOWS, start.paths());
    SolverAnswer answer = InProcess.solve(program.program(), program.startValues(), Solver.SCIP);
    double best = program.nanos(answer.cost());
    double tolerance = 1e-5 * best;
    assertThat(best).isLessThanOrEqualTo(start.nanos() + tolerance);
    assertThat(best).isLessThanOrEqualTo(nanos(flows, Form.SYNCHRONOUS, Solver.SCIP) + tolerance);
    assertThat(best).isGreaterThanOrEqualTo(prices.run(flows).boundNanos() - tolerance);
    assertThat(nanos(flows, Form.WINDOWS, Solver.HIGHS))
        .isBetween(best - tolerance, Double.POSITIVE_INFINITY);
  }
}
