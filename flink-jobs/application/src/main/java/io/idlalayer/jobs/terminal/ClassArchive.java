package io.idlalayer.jobs.terminal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Makes an archive of the classes of a first run, in a background process, so that later starts
 * take half the time. While the run lasts, Java writes a list of the classes, because the launcher
 * sets the option for it.
 */
public final class ClassArchive {
  /** Property in which the launcher names the file with the list. */
  static final String LIST = "idla.classes";

  /**
   * Property with the path of the launcher. The launcher contains the command that makes the
   * archive.
   */
  static final String LAUNCHER = "idla.launcher";

  private ClassArchive() {}

  /**
   * Starts the process that makes the archive. The background process waits until the present
   * process has ended. If a command has no log of libraries, it has started no libraries, so its
   * list is deleted.
   *
   * @return message for the user; empty if no archive is made
   */
  public static Optional<String> save() {
    String list = System.getProperty(LIST);
    if (list == null) {
      return Optional.empty();
    }
    try {
      if (LogFile.file().isEmpty()) {
        Files.deleteIfExists(Path.of(list));
        return Optional.empty();
      }
      new ProcessBuilder("bash", System.getProperty(LAUNCHER, "idla"), "save-classes", list)
          .redirectOutput(Redirect.DISCARD)
          .redirectError(Redirect.DISCARD)
          .start();
      return Optional.of(
          "a process in the background now makes later starts twice as fast; it takes half a minute, this once");
    } catch (IOException failed) {
      return Optional.of("later starts will not be faster: " + failed.getMessage());
    }
  }
}
