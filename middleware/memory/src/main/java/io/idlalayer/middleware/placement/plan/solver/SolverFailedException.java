package io.idlalayer.middleware.placement.plan.solver;

/**
 * Thrown if a solver gives no answer that can be used. The message says why, as a part of a
 * sentence.
 */
public final class SolverFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  public SolverFailedException(String message) {
    super(message);
  }

  public SolverFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
