package io.idlalayer.modelruntime.inference;

/** Thrown to answer a request with an error. The message is for the client. */
public final class InferenceException extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;

  public InferenceException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** Returns the exception for an invalid request. */
  public static InferenceException wrong(String message) {
    return new InferenceException(400, message);
  }

  /** Returns the HTTP status of the answer. */
  public int status() {
    return status;
  }
}
