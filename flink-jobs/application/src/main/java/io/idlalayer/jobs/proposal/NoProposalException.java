package io.idlalayer.jobs.proposal;

/** Thrown if no application file can be proposed for an input; the message says what would help. */
public final class NoProposalException extends Exception {
  private static final long serialVersionUID = 1L;

  public NoProposalException(String message) {
    super(message);
  }
}
