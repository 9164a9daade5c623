package io.idlalayer.middleware.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.placement.plan.solver.IntegerProgram;
import io.idlalayer.middleware.placement.plan.solver.IntegerProgram.Sum;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LinearSolverTest {
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  @BeforeAll
  static void natives() {
    InProcess.assumeNatives();
  }

  /** Things of 5, 4 and 3 with values 10, 7 and 6, of which 7 fit: the last two, worth 13. */
  private static IntegerProgram knapsack() {
    IntegerProgram.Builder builder = new IntegerProgram.Builder();
    int a = builder.choice(-10);
    int b = builder.choice(-7);
    int c = builder.choice(-6);
    builder.row(-INFINITY, new Sum().plus(5, a).plus(4, b).plus(3, c), 7);
    return builder.build();
  }

  @ParameterizedTest
  @EnumSource
  void solve_wholeNumbers_findsTheBest(InProcess.Solver solver) {
    SolverAnswer answer = InProcess.solve(knapsack(), new double[0], solver);
    assertThat(answer.state()).isEqualTo(State.OPTIMAL);
    assertThat(answer.cost()).isCloseTo(-13, within(1e-9));
    assertThat(answer.bound()).isCloseTo(-13, within(1e-6));
    assertThat(answer.values()).containsExactly(new double[] {0, 1, 1}, within(1e-9));
  }

  @ParameterizedTest
  @EnumSource
  void solve_startOfWhichAPartIsKnown_findsTheBest(InProcess.Solver solver) {
    double[] start = {1, Double.NaN, 0};
    assertThat(InProcess.solve(knapsack(), start, solver).cost()).isCloseTo(-13, within(1e-9));
  }

  @ParameterizedTest
  @EnumSource
  void solve_rowsThatContradict_isInfeasible(InProcess.Solver solver) {
    IntegerProgram.Builder builder = new IntegerProgram.Builder();
    int a = builder.choice(1);
    int b = builder.choice(1);
    builder.row(1, new Sum().plus(1, a).plus(1, b), 1);
    builder.row(0, new Sum().plus(1, a).plus(-1, b), 0);
    SolverAnswer answer = InProcess.solve(builder.build(), new double[0], solver);
    assertThat(answer.state()).isEqualTo(State.INFEASIBLE);
    assertThat(answer.values()).isEmpty();
  }
}
