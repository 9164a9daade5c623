package io.idlalayer.jobs.terminal;

/** Thrown if a request cannot be carried out as given; nothing was started. */
public class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
