package io.idlalayer.middleware.placement.plan.solver;

import java.nio.file.Path;

/** The solver as a child process, with the classes of the tests. */
public final class ChildSolver {
  private ChildSolver() {}

  /** Returns a process whose folder is in another one. */
  public static SolverProcess in(Path temporary, SolverLimits limits) {
    return new SolverProcess(
        SolverProcess.java(System.getProperty("java.class.path")), limits, temporary);
  }
}
