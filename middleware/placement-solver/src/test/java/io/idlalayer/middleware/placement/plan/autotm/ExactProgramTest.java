package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.solver.InProcess;
import io.idlalayer.middleware.solver.InProcess.Solver;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Examples with known best plans. */
class ExactProgramTest {
  private static final double ROUNDING = 1e-6;

  @BeforeAll
  static void natives() {
    InProcess.assumeNatives();
  }

  /** Returns the units of time of the best step, which its schedule takes as well. */
  private static double best(TaskGraph graph, PlanDevices devices, Form form, Solver solver) {
    FlowGraph flows = FlowGraph.of(graph, devices);
    ExactProgram program = new ExactProgram(flows, form, List.of());
    SolverAnswer answer = InProcess.solve(program.program(), program.startValues(), solver);
    Prices none = new Prices(flows, form, SourceExamples.deadline());
    Schedule schedule = new Schedule(flows, form, none, 0, 1);
    List<TensorPath> paths = program.paths(answer.values());
    for (int i = 0; i < paths.size(); i++) {
      schedule.add(i, paths.get(i));
    }
    assertThat(schedule.fits()).isTrue();
    double nanos = program.nanos(answer.cost());
    assertThat(schedule.nanos()).isCloseTo(nanos, within(1.0));
    return nanos / SourceExamples.UNIT_NANOS;
  }

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
  void solve_fiveKernels_isTheKnownTime(int limit, double fixed, double synchronous) {
    PlanDevices devices = SourceExamples.devices(limit, 2, 4);
    for (Solver solver : Solver.values()) {
      assertThat(best(SourceExamples.five(), devices, Form.STATIC, solver))
          .isCloseTo(fixed, within(ROUNDING));
      assertThat(best(SourceExamples.five(), devices, Form.SYNCHRONOUS, solver))
          .isCloseTo(synchronous, within(ROUNDING));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "STATIC, 2, 76",
    "SYNCHRONOUS, 2, 63",
    "WINDOWS, 2, 60",
    "SYNCHRONOUS, 0.25, 73",
    "WINDOWS, 0.25, 66"
  })
  void solve_sixKernels_isTheKnownTime(Form form, double writes, double units) {
    PlanDevices devices = SourceExamples.devices(4, writes, 4);
    for (Solver solver : Solver.values()) {
      assertThat(best(SourceExamples.six(), devices, form, solver))
          .isCloseTo(units, within(ROUNDING));
    }
  }

  /** Two ways to run a kernel: 10 ns with 5 bytes beside its arguments, 14 ns with 1. */
  @ParameterizedTest
  @CsvSource({"3, 14", "5, 10"})
  void solve_twoWaysToRunAKernel_takesTheFasterThatFits(long limit, double nanos) {
    KernelCost small = KernelCost.additive(14, new double[0], 1);
    KernelCost large = KernelCost.additive(10, new double[0], 5);
    FlowGraph graph =
        new FlowGraph(
            List.of(),
            List.of(),
            List.of(List.of(small, large)),
            new long[] {limit},
            new long[] {0});
    ExactProgram program = new ExactProgram(graph, Form.STATIC, List.of());
    SolverAnswer answer = InProcess.solve(program.program(), new double[0], Solver.SCIP);
    assertThat(program.nanos(answer.cost())).isCloseTo(nanos, within(ROUNDING));
  }
}
