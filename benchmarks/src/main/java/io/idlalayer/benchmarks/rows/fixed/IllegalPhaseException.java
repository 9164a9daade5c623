package io.idlalayer.benchmarks.rows.fixed;

/** Something was asked of a table in a phase that does not allow it, or while others use it. */
public final class IllegalPhaseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  IllegalPhaseException(String message) {
    super(message);
  }
}
