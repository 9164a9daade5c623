package io.idlalayer.middleware.lending.lender;

/** Thrown if a loan has ended or was never made. */
final class UnknownLoanException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message says which loan. */
  public UnknownLoanException(String message) {
    super(message);
  }
}
