package io.idlalayer.modelruntime.inference;

/** A request that is answered with an error. The message is for the client. */
final class InferenceException extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;

  InferenceException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** Returns a request that is wrong. */
  static InferenceException wrong(String message) {
    return new InferenceException(400, message);
  }

  /** Status of HTTP. */
  int status() {
    return status;
  }
}
