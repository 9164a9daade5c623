package io.idlalayer.jobs.replay;

import java.io.IOException;

/** Thrown if a recording has a line that is not an event; reading it again does not help. */
public final class DamagedRecordingException extends IOException {
  private static final long serialVersionUID = 1L;

  public DamagedRecordingException(String message) {
    super(message);
  }

  public DamagedRecordingException(String message, Throwable cause) {
    super(message, cause);
  }
}
