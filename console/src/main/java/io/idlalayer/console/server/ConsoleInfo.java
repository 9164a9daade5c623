package io.idlalayer.console.server;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.List;

/**
 * Facts about the console itself, for the page.
 *
 * @param source the source of events
 * @param sourceName Kafka servers, or the name of the file
 * @param nowMillis epoch milliseconds of the console's clock
 * @param writable whether requests and changes are possible
 * @param connected whether events can be read now
 * @param problem why events cannot be read; if they can be read, a note if a recording ends too
 *     early, or else ""
 */
public record ConsoleInfo(
    String version,
    Source source,
    String sourceName,
    long nowMillis,
    boolean writable,
    boolean connected,
    String problem,
    List<ApplicationInfo> applications) {
  public static final String VERSION = "0.1.0-SNAPSHOT";

  /** The source of events. */
  public enum Source {
    @JsonProperty("kafka")
    KAFKA,
    @JsonProperty("recording")
    RECORDING
  }

  /**
   * Returns the applications of the files; without files, the applications whose learners have sent
   * an event.
   */
  public static List<ApplicationInfo> applications(
      List<ApplicationSettings> files, Learners learners) {
    return files.isEmpty()
        ? learners.applications().stream().map(ApplicationInfo::unknown).toList()
        : files.stream().map(ApplicationInfo::of).toList();
  }
}
