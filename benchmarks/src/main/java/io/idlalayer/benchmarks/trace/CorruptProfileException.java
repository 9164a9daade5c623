package io.idlalayer.benchmarks.trace;

import java.io.IOException;

/** A file is no recorded step. */
public class CorruptProfileException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What is wrong, and where. */
  public CorruptProfileException(String message) {
    super(message);
  }
}
