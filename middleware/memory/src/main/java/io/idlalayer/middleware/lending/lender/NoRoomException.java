package io.idlalayer.middleware.lending.lender;

/** Thrown if a lender has no room for a loan. */
public final class NoRoomException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message says what was asked for and what is free. */
  public NoRoomException(String message) {
    super(message);
  }
}
