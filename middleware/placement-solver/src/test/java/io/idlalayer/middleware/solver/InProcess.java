package io.idlalayer.middleware.solver;

import io.idlalayer.middleware.placement.plan.solver.IntegerProgram;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.plan.solver.SolverRequest;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;

/** The solvers of OR-Tools in the process of the tests. */
public final class InProcess {
  private static final double SECONDS = 60;

  /** The solvers. */
  public enum Solver {
    SCIP,
    HIGHS
  }

  private InProcess() {}

  /** Skips a test, with a reason, where OR-Tools has no native code. */
  public static void assumeNatives() {
    String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    Assumptions.assumeTrue(
        system.toLowerCase(Locale.ROOT).matches("linux on (amd64|aarch64)"),
        "the native code of OR-Tools is not there for " + system);
  }

  /** Returns the best solution, which is checked. */
  public static SolverAnswer solve(IntegerProgram program, double[] start, Solver solver) {
    LinearSolver.load();
    SolverAnswer answer =
        LinearSolver.solve(
            new SolverRequest(program, start, SECONDS, 0, 1),
            "",
            List.of(LinearSolver.valueOf(solver.name())),
            () -> 0);
    if (answer.solved()) {
      String violation = program.violation(answer.values());
      if (violation != null) {
        throw new IllegalStateException(violation);
      }
    }
    return answer;
  }
}
