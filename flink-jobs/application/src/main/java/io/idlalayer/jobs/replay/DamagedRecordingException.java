package io.idlalayer.jobs.replay;

import java.io.IOException;

/** A recording holds what is no event; reading it once more changes nothing. */
public final class DamagedRecordingException extends IOException {
  private static final long serialVersionUID = 1L;

  public DamagedRecordingException(String message) {
    super(message);
  }

  public DamagedRecordingException(String message, Throwable cause) {
    super(message, cause);
  }
}
