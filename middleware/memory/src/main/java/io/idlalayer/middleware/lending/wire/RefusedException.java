package io.idlalayer.middleware.lending.wire;

import java.io.IOException;

/** Thrown if a lender refuses a request. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Refusal refusal;

  /** Creates the exception; the message is the lender's. */
  public RefusedException(Refusal refusal, String message) {
    super(message);
    this.refusal = refusal;
  }

  /** Returns the reason of the lender. */
  public Refusal refusal() {
    return refusal;
  }
}
