package io.idlalayer.jobs.checkpoint;

import java.io.IOException;

/** Thrown if no checkpoint of a job was completed for longer than the tolerated time. */
public final class CheckpointsFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  CheckpointsFailedException(String message) {
    super(message);
  }
}
