package io.idlalayer.jobs.terminal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The classes of a first run, of which a process in the background makes an archive, so that later
 * starts take half the time. Java lists them while it runs, because the launcher asks for that.
 */
public final class ClassArchive {
  /** Property in which the launcher names the file with the list. */
  static final String LIST = "idla.classes";

  /** Property with the path of the launcher, which has the command that makes the archive. */
  static final String LAUNCHER = "idla.launcher";

  private ClassArchive() {}

  /**
   * Starts the process that makes the archive. That process waits until the present process has
   * ended. A command without a log of libraries has started none of them, and its list is deleted.
   *
   * @return what to tell the user; empty if no archive is to be made
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
