package io.idlalayer.jobs.registry;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the registry does not say whether it has a schema. The event is not to blame, so it
 * must neither be skipped nor become a dead letter: the reader stops, and reads it again later.
 */
public final class RegistryUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RegistryUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
