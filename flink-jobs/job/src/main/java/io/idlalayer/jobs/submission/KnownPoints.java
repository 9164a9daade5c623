package io.idlalayer.jobs.submission;

import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.recovery.GivenPoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches for checkpoints and savepoints of earlier submissions in the folders that Flink's
 * settings name. The result is only used for advice in messages. Savepoints in other folders are
 * not found.
 */
final class KnownPoints {
  private static final Logger LOG = LoggerFactory.getLogger(KnownPoints.class);
  private static final Pattern CHECKPOINT = Pattern.compile("chk-(\\d{1,18})");

  /** Number of characters of a job's id that Flink puts into the names of its savepoints. */
  private static final int SHORT_ID = 6;

  /** Largest number of checkpoints of a job that are read, and largest number of its savepoints. */
  private static final int MOST = 3;

  private KnownPoints() {}

  /**
   * Returns the address of the complete checkpoint or savepoint with the highest id; empty if none
   * was found.
   */
  static Optional<String> newest(ReadableConfig flink, Submissions submissions) {
    List<String> addresses = new ArrayList<>();
    for (Submissions.Submission each : submissions.newestLast()) {
      flink
          .getOptional(CheckpointingOptions.CHECKPOINTS_DIRECTORY)
          .ifPresent(directory -> addresses.addAll(checkpoints(directory, each.job())));
      flink
          .getOptional(CheckpointingOptions.SAVEPOINT_DIRECTORY)
          .ifPresent(directory -> addresses.addAll(savepoints(directory, each.job())));
      String from = each.from();
      if (from != null) {
        addresses.add(from);
      }
    }
    return addresses.stream()
        .distinct()
        .flatMap(address -> read(address).stream())
        .max(Comparator.comparingLong(GivenPoint::checkpointId))
        .map(GivenPoint::address);
  }

  private static Optional<GivenPoint> read(String address) {
    try {
      return GivenPoint.read(address, OnlineLearningJob.LEARNER);
    } catch (IOException unusable) {
      LOG.info("passed over {}: {}", address, unusable.toString());
      return Optional.empty();
    }
  }

  private static List<String> checkpoints(String directory, String job) {
    return children(new Path(directory, job)).stream()
        .filter(path -> CHECKPOINT.matcher(path.getName()).matches())
        .sorted(Comparator.comparingLong(KnownPoints::number).reversed())
        .limit(MOST)
        .map(Path::toString)
        .toList();
  }

  private static long number(Path checkpoint) {
    Matcher name = CHECKPOINT.matcher(checkpoint.getName());
    return name.matches() ? Long.parseLong(name.group(1)) : -1;
  }

  private static List<String> savepoints(String directory, String job) {
    String name = "savepoint-" + job.substring(0, Math.min(SHORT_ID, job.length())) + "-";
    return children(new Path(directory)).stream()
        .filter(path -> path.getName().startsWith(name))
        .limit(MOST)
        .map(Path::toString)
        .toList();
  }

  private static List<Path> children(Path directory) {
    try {
      FileStatus[] found = directory.getFileSystem().listStatus(directory);
      List<Path> paths = new ArrayList<>();
      for (FileStatus each : found == null ? new FileStatus[0] : found) {
        paths.add(each.getPath());
      }
      return paths;
    } catch (IOException unknown) {
      LOG.info("cannot look for checkpoints in {}: {}", directory, unknown.toString());
      return List.of();
    }
  }
}
