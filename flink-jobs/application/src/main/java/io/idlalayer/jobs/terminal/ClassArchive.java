package io.idlalayer.jobs.terminal;

import java.util.Optional;

/**
 * A file with the classes of a first run, which Java writes when the process ends, so that later
 * starts take half the time. Writing it delays the end of the process by some seconds.
 */
public final class ClassArchive {
  /** Property with which the launcher says that Java writes the file. */
  static final String PROPERTY = "idla.archives";

  private ClassArchive() {}

  /**
   * Returns the message before the process ends if its end will take long. If a command has no log
   * of libraries, it has used none of them, so it has few classes and ends quickly.
   */
  public static Optional<String> notice() {
    return Boolean.getBoolean(PROPERTY) && !LogFile.file().isEmpty()
        ? Optional.of("saving what makes later starts twice as fast: some seconds, this once")
        : Optional.empty();
  }
}
