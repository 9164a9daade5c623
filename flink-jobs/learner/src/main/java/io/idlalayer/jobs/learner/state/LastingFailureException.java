package io.idlalayer.jobs.learner.state;

import org.jspecify.annotations.Nullable;

/** A failure that a restart of the learner would not cure: an operator has to change something. */
public final class LastingFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says all there is to say. */
  public LastingFailureException(String message) {
    super(message);
  }

  /** The message says all there is to say; what led to it is suppressed, as the root is shown. */
  public LastingFailureException(String message, Throwable by) {
    super(message);
    addSuppressed(by);
  }

  /** Throws what is wrong, if anything is. */
  public static void throwIf(@Nullable String problem) {
    if (problem != null) {
      throw new LastingFailureException(problem);
    }
  }
}
