package io.idlalayer.jobs.operator;

/**
 * A learner cannot go on, and starting it again would not help: somebody has to change something.
 */
final class LastingFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says all there is to say. */
  LastingFailureException(String message) {
    super(message);
  }

  /** The message says all there is to say; what led to it is suppressed, as the root is shown. */
  LastingFailureException(String message, Throwable by) {
    super(message);
    addSuppressed(by);
  }
}
