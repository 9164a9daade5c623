package io.idlalayer.jobs.terminal;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The log file of Kafka, Flink and other libraries while a command runs, so that the terminal shows
 * only the command's own output. {@code log4j2.properties} looks the system property up for each
 * line.
 */
public final class LogFile {
  /**
   * Name of the system property with the place of the log: a file, or {@code none}; if it is
   * absent, the log goes to the console.
   */
  static final String PROPERTY = "idla.log";

  /** Name of the environment variable with which a user chooses the log file. */
  public static final String VARIABLE = "IDLA_LOG";

  private static final String NONE = "none";

  private LogFile() {}

  /**
   * Keeps the libraries' log lines off the terminal, before a command runs.
   *
   * @param named the file that the user named, or null
   */
  public static void begin(@Nullable String named) {
    if (System.getProperty(PROPERTY) == null) {
      System.setProperty(PROPERTY, named == null || named.isEmpty() ? NONE : named);
    }
    LogTrouble.listen();
  }

  /**
   * Sends the log lines of libraries to a file in a work directory, unless the user named another
   * file.
   */
  public static void in(Path workDirectory) {
    in(workDirectory, "idla.log");
  }

  /**
   * Directs the libraries' log to a separate file, for a command that runs while other commands use
   * the work directory.
   *
   * @param name name of the file, which is created with the first line
   */
  public static void in(Path workDirectory, String name) {
    if (NONE.equals(System.getProperty(PROPERTY))) {
      Path file = workDirectory.toAbsolutePath().normalize().resolve("logs").resolve(name);
      System.setProperty(PROPERTY, file.toString());
    }
  }

  /**
   * Returns a message that names the log file of the libraries; empty if they log to the console or
   * not at all, or have logged nothing yet.
   */
  public static String where() {
    String file = file();
    return file.isEmpty() || !Files.exists(Path.of(file)) ? "" : "Kafka and Flink log to " + file;
  }

  /** Returns the log file of the libraries; empty if they log to the console or not at all. */
  static String file() {
    String file = System.getProperty(PROPERTY, NONE);
    return file.equals(NONE) ? "" : file;
  }
}
