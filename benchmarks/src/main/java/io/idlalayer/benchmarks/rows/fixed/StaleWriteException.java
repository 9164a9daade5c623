package io.idlalayer.benchmarks.rows.fixed;

/** Changed rows would have been dropped without being written to the base. */
public final class StaleWriteException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StaleWriteException(String message) {
    super(message);
  }
}
