package io.idlalayer.jobs.terminal;

/** What was asked for cannot be done as it was asked; nothing was started. */
public class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
