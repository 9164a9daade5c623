package io.idlalayer.jobs.run;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.training.StartingNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks before a job starts that learners can read the networks with which they begin. */
final class StartingNetworkCheck {
  private StartingNetworkCheck() {}

  /**
   * Reads the files with the starting networks of applications that begin without state.
   *
   * @throws IOException with the names of all files that cannot be read or do not fit the
   *     application's network
   */
  static void check(List<ApplicationSettings> applications) throws IOException {
    List<String> problems = new ArrayList<>();
    for (ApplicationSettings application : applications) {
      String file = application.start();
      if (file == null) {
        continue;
      }
      try {
        StartingNetwork.read(Path.of(file), application.model());
      } catch (IOException refused) {
        problems.add(
            "%s cannot begin with 'model.start': %s"
                .formatted(application.name(), refused.getMessage()));
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
  }
}
