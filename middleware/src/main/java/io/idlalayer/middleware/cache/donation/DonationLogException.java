package io.idlalayer.middleware.cache.donation;

/** A donation log that cannot be read; the message names the line and what is wrong there. */
public final class DonationLogException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int line;

  DonationLogException(int line, String problem) {
    super("donation log, line " + line + ": " + problem);
    this.line = line;
  }

  /** Counted from 1. */
  public int line() {
    return line;
  }
}
