package io.idlalayer.console;

import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.List;

/**
 * What the page is told of the console itself.
 *
 * @param source {@code kafka} or {@code recording}
 * @param sourceName servers, or the name of the file
 * @param nowMillis epoch milliseconds of the console's clock
 * @param writable whether something can be asked or changed
 * @param connected whether events can be read now
 * @param problem why they cannot; if they can, that a recording ends too early, or ""
 */
record Overview(
    String version,
    String source,
    String sourceName,
    long nowMillis,
    boolean writable,
    boolean connected,
    String problem,
    List<ConsoleInfo> applications) {
  static final String VERSION = "0.1.0-SNAPSHOT";
  static final String KAFKA = "kafka";
  static final String RECORDING = "recording";

  /** By their files; without files, those that have said something. */
  static List<ConsoleInfo> applications(List<ApplicationSettings> files, Learners learners) {
    return files.isEmpty()
        ? learners.applications().stream().map(ConsoleInfo::unknown).toList()
        : files.stream().map(ConsoleInfo::of).toList();
  }
}
