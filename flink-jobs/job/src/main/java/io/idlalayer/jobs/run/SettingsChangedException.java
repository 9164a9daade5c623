package io.idlalayer.jobs.run;

import io.idlalayer.jobs.terminal.UsageException;

/**
 * An application file was changed in settings that what was learned depends on. The message names
 * each of them, and says how to go on.
 */
public final class SettingsChangedException extends UsageException {
  private static final long serialVersionUID = 1L;

  SettingsChangedException(String message) {
    super(message);
  }
}
