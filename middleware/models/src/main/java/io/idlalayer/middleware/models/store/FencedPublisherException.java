package io.idlalayer.middleware.models.store;

import java.io.IOException;

/**
 * Thrown if another publisher has taken over the application partition. This one will never publish
 * there again.
 */
public final class FencedPublisherException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean sameRun;

  FencedPublisherException(String message, boolean sameRun) {
    super(message);
    this.sameRun = sameRun;
  }

  /**
   * Returns whether the other publisher belongs to the same run: a later attempt of the same job.
   */
  public boolean sameRun() {
    return sameRun;
  }
}
