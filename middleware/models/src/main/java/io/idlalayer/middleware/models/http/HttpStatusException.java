package io.idlalayer.middleware.models.http;

import java.io.IOException;

/** A server of models answered with the status of a failure. */
final class HttpStatusException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;

  HttpStatusException(int status, String message) {
    super(message);
    this.status = status;
  }

  public int status() {
    return status;
  }
}
