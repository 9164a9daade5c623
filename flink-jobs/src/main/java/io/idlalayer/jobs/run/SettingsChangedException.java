package io.idlalayer.jobs.run;

/**
 * An application file was changed in settings that what was learned depends on. The message names
 * each of them, and says how to go on.
 */
public final class SettingsChangedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SettingsChangedException(String message) {
    super(message);
  }
}
