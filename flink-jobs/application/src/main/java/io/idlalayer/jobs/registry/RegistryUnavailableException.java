package io.idlalayer.jobs.registry;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the registry does not answer whether it has a schema. The event is not the cause, so it
 * must neither be skipped nor become a dead letter: the reader stops, and reads the event again
 * later.
 */
public final class RegistryUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String problem;

  public RegistryUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
    problem = message;
  }

  /**
   * @param problem what went wrong at the registry
   * @param consequence what this means for a job, as a sentence
   */
  RegistryUnavailableException(String problem, String consequence, @Nullable Throwable cause) {
    super(problem + ". " + consequence, cause);
    this.problem = problem;
  }

  /** Returns what went wrong at the registry, without the consequences for a job. */
  public String problem() {
    return problem;
  }
}
