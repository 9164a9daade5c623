package io.idlalayer.middleware.models.http;

import java.io.IOException;

/** Thrown if a server of models answered with an HTTP status that means a failure. */
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
