package io.idlalayer.middleware.solver;

import com.google.ortools.Loader;
import com.google.ortools.modelbuilder.ModelBuilderHelper;
import com.google.ortools.modelbuilder.ModelSolverHelper;
import io.idlalayer.middleware.placement.plan.solver.IntegerProgram;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
import io.idlalayer.middleware.placement.plan.solver.SolverRequest;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Solves programs with the solvers of OR-Tools, on one thread. */
enum LinearSolver {
  /** SCIP, which begins with the start of a request, and keeps its time. */
  SCIP("limits/gap = %s\nrandomization/randomseedshift = %d\n"),
  /**
   * HiGHS. OR-Tools gives the cost of its solution as its bound, and a start that it would pass
   * damages memory.
   */
  HIGHS("threads=1,mip_rel_gap=%s,random_seed=%d");

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double LEAST_SECONDS = 0.1;

  /** SCIP's infinity, which it says before it has a bound. */
  private static final double NOTHING = 1e19;

  private final String parameters;

  LinearSolver(String parameters) {
    this.parameters = parameters;
  }

  /** Loads the native code, which takes about half a second. */
  static void load() {
    Loader.loadNativeLibraries();
  }

  /**
   * Solves a program with the first solver that does not fail.
   *
   * @param digest name of the request in the answer
   * @param nanoTime the time, in nanoseconds
   */
  static SolverAnswer solve(
      SolverRequest request, String digest, List<LinearSolver> solvers, LongSupplier nanoTime) {
    long begin = nanoTime.getAsLong();
    SolverAnswer last = SolverAnswer.without(digest, "", State.FAILED, "there is no solver");
    for (LinearSolver solver : solvers) {
      double left = request.seconds() - (nanoTime.getAsLong() - begin) / NANOS_PER_SECOND;
      last = solver.solve(request, digest, Math.max(LEAST_SECONDS, left));
      if (last.state() != State.FAILED) {
        break;
      }
    }
    return last;
  }

  private SolverAnswer solve(SolverRequest request, String digest, double seconds) {
    String name = name().toLowerCase(Locale.ROOT);
    ModelSolverHelper solver = new ModelSolverHelper(name);
    if (!solver.solverIsSupported()) {
      return SolverAnswer.without(digest, name, State.FAILED, "OR-Tools has no " + name);
    }
    solver.setTimeLimitInSeconds(seconds);
    solver.setSolverSpecificParameters(
        String.format(Locale.ROOT, parameters, request.gap(), request.seed()));
    ModelBuilderHelper model = model(request.program());
    if (this != HIGHS) {
      addStart(request.start(), model);
    }
    solver.solve(model);
    State state =
        switch (solver.getStatus()) {
          case OPTIMAL -> State.OPTIMAL;
          case FEASIBLE -> State.FEASIBLE;
          case INFEASIBLE -> State.INFEASIBLE;
          case NOT_SOLVED, UNKNOWN_STATUS -> State.NOTHING_FOUND;
          default -> State.FAILED;
        };
    if (!solver.hasSolution()) {
      String status = solver.getStatus() + " " + solver.getStatusString();
      return SolverAnswer.without(digest, name, state, status.strip());
    }
    double[] values = new double[request.program().variables()];
    for (int i = 0; i < values.length; i++) {
      values[i] = solver.getVariableValue(i);
    }
    double cost = solver.getObjectiveValue();
    return new SolverAnswer(digest, name, state, "", cost, bound(solver, state, request), values);
  }

  private double bound(ModelSolverHelper solver, State state, SolverRequest request) {
    if (this != HIGHS) {
      double said = solver.getBestObjectiveBound();
      return said <= -NOTHING ? Double.NEGATIVE_INFINITY : said;
    }
    double cost = solver.getObjectiveValue();
    return state == State.OPTIMAL
        ? cost - request.gap() * Math.abs(cost)
        : Double.NEGATIVE_INFINITY;
  }

  private static void addStart(double[] start, ModelBuilderHelper model) {
    for (int i = 0; i < start.length; i++) {
      if (!Double.isNaN(start[i])) {
        model.addHint(i, start[i]);
      }
    }
  }

  private static ModelBuilderHelper model(IntegerProgram program) {
    ModelBuilderHelper model = new ModelBuilderHelper();
    for (int i = 0; i < program.variables(); i++) {
      int variable = model.addVar();
      model.setVarLowerBound(variable, program.lower()[i]);
      model.setVarUpperBound(variable, program.upper()[i]);
      model.setVarIntegrality(variable, program.whole()[i]);
      model.setVarObjectiveCoefficient(variable, program.costs()[i]);
    }
    for (IntegerProgram.Row row : program.rows()) {
      int constraint = model.addLinearConstraint();
      model.setConstraintLowerBound(constraint, row.lower());
      model.setConstraintUpperBound(constraint, row.upper());
      for (int i = 0; i < row.variables().length; i++) {
        model.addConstraintTerm(constraint, row.variables()[i], row.factors()[i]);
      }
    }
    return model;
  }
}
