package io.idlalayer.jobs.learner.state;

import org.jspecify.annotations.Nullable;

/**
 * A failure that a restart of the learner would not remove. An operator has to change something.
 */
public final class LastingFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates a failure whose message is complete, so that no cause is needed. */
  public LastingFailureException(String message) {
    super(message);
  }

  /**
   * Creates a failure with a complete message and its cause. The cause is added as a suppressed
   * exception, because only the root cause is shown to users.
   */
  public LastingFailureException(String message, Throwable by) {
    super(message);
    addSuppressed(by);
  }

  /** Throws a failure with the problem as its message, if there is one. */
  public static void throwIf(@Nullable String problem) {
    if (problem != null) {
      throw new LastingFailureException(problem);
    }
  }
}
