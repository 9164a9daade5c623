package io.idlalayer.middleware.models.store;

import java.io.IOException;

/**
 * Thrown if another publisher has taken over the application partition. The publisher that throws
 * will never publish there again.
 */
public final class FencedPublisherException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean sameRun;

  FencedPublisherException(String message, boolean sameRun) {
    super(message);
    this.sameRun = sameRun;
  }

  /**
   * Returns whether the other publisher belongs to this publisher's run: a later attempt of the
   * job.
   */
  public boolean sameRun() {
    return sameRun;
  }
}
