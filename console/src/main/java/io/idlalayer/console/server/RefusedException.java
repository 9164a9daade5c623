package io.idlalayer.console.server;

/** Thrown for a request that is answered with a status and a sentence. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final long retrySeconds;

  RefusedException(int status, String message) {
    this(status, message, 0);
  }

  /**
   * @param retrySeconds seconds after which the client should try again; 0 if unknown
   */
  RefusedException(int status, String message, long retrySeconds) {
    super(message);
    this.status = status;
    this.retrySeconds = retrySeconds;
  }

  long retrySeconds() {
    return retrySeconds;
  }

  int status() {
    return status;
  }
}
