package io.idlalayer.jobs.predictions;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The prediction files of a run: the named file if there is one learner, else one file for each
 * learner in the same folder. The work directory contains a list of the prediction files of the
 * last run that wrote any. No other existing file is overwritten. A file of an earlier run is
 * refused too, because the learner's state contains only the end of the last file.
 */
public final class PredictionFiles {
  private static final String OWNED = "prediction-files";

  private PredictionFiles() {}

  /**
   * Returns the file of a learner: {@code p.csv}, or with several learners {@code p-clicks-0.csv}.
   *
   * @param named the file that the user named, absolute
   * @param applications all applications of the run
   */
  public static Path of(Path named, LearnerKey key, List<ApplicationSettings> applications) {
    if (applications.stream().mapToInt(ApplicationSettings::partitions).sum() == 1) {
      return named;
    }
    String name = String.valueOf(named.getFileName());
    int dot = name.lastIndexOf('.');
    int end = dot <= 0 ? name.length() : dot;
    return named.resolveSibling(
        "%s-%s-%d%s"
            .formatted(
                name.substring(0, end), key.application(), key.partition(), name.substring(end)));
  }

  /**
   * Checks that the files can be written, and records exactly these files in the work directory.
   *
   * @param anew whether the run starts over, so that files of earlier runs are not continued
   * @throws IOException if a file exists that the last run did not write
   */
  public static void claim(
      Path named, List<ApplicationSettings> applications, Path workDirectory, boolean anew)
      throws IOException {
    Path record = workDirectory.resolve(OWNED);
    Set<String> continued =
        anew || !Files.exists(record) ? Set.of() : Set.copyOf(Files.readAllLines(record));
    List<String> files = new ArrayList<>();
    List<String> foreign = new ArrayList<>();
    for (ApplicationSettings application : applications) {
      for (int partition = 0; partition < application.partitions(); partition++) {
        Path file = of(named, new LearnerKey(application.name(), partition), applications);
        if (Files.isDirectory(file) || (taken(file) && !continued.contains(file.toString()))) {
          foreign.add(file.toString());
        }
        files.add(file.toString());
      }
    }
    if (!foreign.isEmpty()) {
      throw new IOException(
          "--predictions: %s exists, and is not of the last run with --predictions in %s; remove it, or name another file"
              .formatted(String.join(", ", foreign), workDirectory));
    }
    Files.write(record, files);
  }

  private static boolean taken(Path file) throws IOException {
    return Files.exists(file) && Files.size(file) > 0;
  }
}
