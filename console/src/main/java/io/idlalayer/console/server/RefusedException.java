package io.idlalayer.console.server;

/** A request that is answered with a status and a sentence. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  RefusedException(int status, String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }
}
