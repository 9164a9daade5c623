package io.idlalayer.console.server;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.idlalayer.console.history.Learners;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.List;

/**
 * What the page is told of the console itself.
 *
 * @param source where events come from
 * @param sourceName servers, or the name of the file
 * @param nowMillis epoch milliseconds of the console's clock
 * @param writable whether something can be asked or changed
 * @param connected whether events can be read now
 * @param problem why they cannot; if they can, that a recording ends too early, or ""
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

  /** Where events come from. */
  public enum Source {
    @JsonProperty("kafka")
    KAFKA,
    @JsonProperty("recording")
    RECORDING
  }

  /** By their files; without files, those that have said something. */
  public static List<ApplicationInfo> applications(
      List<ApplicationSettings> files, Learners learners) {
    return files.isEmpty()
        ? learners.applications().stream().map(ApplicationInfo::unknown).toList()
        : files.stream().map(ApplicationInfo::of).toList();
  }
}
