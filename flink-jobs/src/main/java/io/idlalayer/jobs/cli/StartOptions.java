package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.job.StartOver;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a job begins and ends. */
final class StartOptions {
  private static final long LONGEST_SECONDS = 86_400;

  @Option(
      names = "--start-over",
      description = {
        "Begin from nothing although models were published. Their version numbers go on; the first"
            + " new version has no parent and says so. Without it, a start whose state is lost is"
            + " refused."
      })
  boolean startOver;

  @Option(
      names = "--stop-seconds",
      paramLabel = "N",
      description = {
        "How long the savepoint at the end may take (default: 180 and one for each 10 MiB of state,"
            + " at most 3600). If it takes longer, the last checkpoint is where the next start goes"
            + " on."
      })
  @Nullable Long stopSeconds;

  StartOver startOver() {
    return startOver ? StartOver.NOW : StartOver.NO;
  }

  @Nullable Duration stopLimit() {
    Long seconds = stopSeconds;
    if (seconds == null) {
      return null;
    }
    if (seconds < 1 || seconds > LONGEST_SECONDS) {
      throw new UsageException("--stop-seconds must be between 1 and " + LONGEST_SECONDS);
    }
    return Duration.ofSeconds(seconds);
  }
}
