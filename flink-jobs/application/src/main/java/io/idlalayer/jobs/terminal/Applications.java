package io.idlalayer.jobs.terminal;

import io.idlalayer.jobs.produce.TrustedSamples;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSet;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.NetworkChecks;
import io.idlalayer.jobs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the application files of a command. */
public final class Applications {
  private Applications() {}

  /**
   * Reads all files, for a command that trains nothing.
   *
   * @throws UsageException with the problems of all files
   */
  public static List<ApplicationSettings> read(List<Path> files) {
    return read(files, NetworkChecks.NONE);
  }

  private static List<ApplicationSettings> read(List<Path> files, NetworkChecks checks) {
    List<ApplicationSettings> applications = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Path file : files) {
      try {
        applications.add(ApplicationFileReader.read(file, System::getenv, checks));
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

  /**
   * Reads application files in order to run the applications. The files that an application needs
   * while it runs must also exist.
   *
   * @param checks checks of the networks
   * @throws UsageException with the problems of all files
   */
  public static List<ApplicationSettings> readToRun(List<Path> files, NetworkChecks checks) {
    List<ApplicationSettings> applications = read(files, checks);
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
