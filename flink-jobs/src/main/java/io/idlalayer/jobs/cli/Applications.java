package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.job.ApplicationSet;
import io.idlalayer.jobs.produce.TrustedSamples;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the application files of a command. */
public final class Applications {
  private Applications() {}

  /** All files, or a usage error with the problems of all of them. */
  public static List<ApplicationSettings> read(List<Path> files) {
    List<ApplicationSettings> applications = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Path file : files) {
      try {
        applications.add(ApplicationFileReader.read(file, System::getenv));
      } catch (SettingsException refused) {
        refused.problems().forEach(problem -> problems.add(problem.toString()));
      }
    }
    if (problems.isEmpty()) {
      try {
        ApplicationSet.check(applications);
      } catch (IllegalArgumentException conflict) {
        problems.add(String.valueOf(conflict.getMessage()));
      }
    }
    refuse(problems);
    return applications;
  }

  /** Likewise, to run them: files that they need while they run must be there too. */
  public static List<ApplicationSettings> readToRun(List<Path> files) {
    List<ApplicationSettings> applications = read(files);
    List<String> problems = new ArrayList<>();
    applications.forEach(application -> checkTrusted(application, problems));
    refuse(problems);
    return applications;
  }

  private static void refuse(List<String> problems) {
    if (!problems.isEmpty()) {
      throw new UsageException(
          String.join("\n", problems)
              + (problems.size() == 1 ? "\n1 problem" : "\n" + problems.size() + " problems"));
    }
  }

  private static void checkTrusted(ApplicationSettings application, List<String> problems) {
    try {
      var unused = TrustedSamples.read(application);
    } catch (IOException unreadable) {
      problems.add(
          "application %s: publishing.gate.trusted-file: %s"
              .formatted(application.name(), unreadable.getMessage()));
    }
  }
}
