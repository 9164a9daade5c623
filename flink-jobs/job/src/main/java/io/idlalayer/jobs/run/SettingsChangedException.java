package io.idlalayer.jobs.run;

import io.idlalayer.jobs.terminal.UsageException;

/**
 * Thrown if an application file was changed in settings that the learned state depends on. The
 * message names each changed setting, and says how to continue.
 */
final class SettingsChangedException extends UsageException {
  private static final long serialVersionUID = 1L;

  SettingsChangedException(String message) {
    super(message);
  }
}
