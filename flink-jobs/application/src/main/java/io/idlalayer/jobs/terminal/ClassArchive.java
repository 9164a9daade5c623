package io.idlalayer.jobs.terminal;

import java.util.Optional;

/**
 * The classes of a first run, which Java writes to a file when the process ends, so that later
 * starts take half the time. The process ends some seconds later for it.
 */
public final class ClassArchive {
  /** Property with which the launcher says that Java writes the file. */
  static final String PROPERTY = "idla.archives";

  private ClassArchive() {}

  /**
   * Returns what to say before the process ends, if it will take long. A command without a log of
   * libraries has started none of them, and has few classes.
   */
  public static Optional<String> notice() {
    return Boolean.getBoolean(PROPERTY) && !LogFile.file().isEmpty()
        ? Optional.of("saving what makes later starts twice as fast: some seconds, this once")
        : Optional.empty();
  }
}
