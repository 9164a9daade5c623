package io.idlalayer.middleware.solver;

import com.google.ortools.Loader;
import com.google.ortools.linearsolver.MPConstraint;
import com.google.ortools.linearsolver.MPObjective;
import com.google.ortools.linearsolver.MPSolver;
import com.google.ortools.linearsolver.MPSolverParameters;
import com.google.ortools.linearsolver.MPSolverParameters.DoubleParam;
import com.google.ortools.linearsolver.MPVariable;
import io.idlalayer.middleware.placement.plan.solver.IntegerProgram;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
import io.idlalayer.middleware.placement.plan.solver.SolverRequest;
import java.util.List;

/** Solves programs with the solvers of OR-Tools: HiGHS or, if that fails, SCIP. */
final class LinearSolver {
  private static final List<String> SOLVERS = List.of(System.getProperty("solvers", "HIGHS,SCIP").split(","));

  private LinearSolver() {}

  static SolverAnswer solve(SolverRequest request, String digest) {
    long begin = System.nanoTime();
    Loader.loadNativeLibraries();
    SolverAnswer last =
        SolverAnswer.without(digest, "", State.FAILED, "OR-Tools has neither HiGHS nor SCIP");
    for (String name : SOLVERS) {
      MPSolver solver = MPSolver.createSolver(name);
      if (solver != null) {
        double left = request.seconds() - (System.nanoTime() - begin) / 1e9;
        last = solve(request, digest, solver, name, left);
        if (last.state() != State.FAILED) {
          break;
        }
      }
    }
    return last;
  }

  private static SolverAnswer solve(
      SolverRequest request, String digest, MPSolver solver, String name, double seconds) {
    IntegerProgram program = request.program();
    MPVariable[] variables = new MPVariable[program.variables()];
    MPObjective objective = solver.objective();
    objective.setMinimization();
    for (int i = 0; i < variables.length; i++) {
      // Equal names abort some solvers.
      variables[i] =
          solver.makeVar(program.lower()[i], program.upper()[i], program.whole()[i], "v" + i);
      objective.setCoefficient(variables[i], program.costs()[i]);
    }
    for (int r = 0; r < program.rows().size(); r++) {
      IntegerProgram.Row row = program.rows().get(r);
      MPConstraint constraint = solver.makeConstraint(row.lower(), row.upper(), "r" + r);
      for (int i = 0; i < row.variables().length; i++) {
        constraint.setCoefficient(variables[row.variables()[i]], row.factors()[i]);
      }
    }
    solver.setTimeLimit(Math.max(1, (long) (seconds * 1e3)));
    MPSolverParameters parameters = new MPSolverParameters();
    parameters.setDoubleParam(DoubleParam.RELATIVE_MIP_GAP, request.gap());
    MPSolver.ResultStatus status = solver.solve(parameters);
    State state =
        switch (status) {
          case OPTIMAL -> State.OPTIMAL;
          case FEASIBLE -> State.FEASIBLE;
          case INFEASIBLE -> State.INFEASIBLE;
          case NOT_SOLVED -> State.NOTHING_FOUND;
          default -> State.FAILED;
        };
    if (state != State.OPTIMAL && state != State.FEASIBLE) {
      return SolverAnswer.without(digest, name, state, status.toString());
    }
    double[] values = new double[variables.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = variables[i].solutionValue();
    }
    return new SolverAnswer(
        digest, name, state, "", objective.value(), objective.bestBound(), values);
  }
}
