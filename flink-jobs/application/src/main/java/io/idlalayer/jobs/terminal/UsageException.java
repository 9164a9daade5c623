package io.idlalayer.jobs.terminal;

/** Thrown if a command cannot be carried out as the user has given it. Nothing was started. */
public class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
