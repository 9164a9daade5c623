package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.terminal.UsageException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the start and the end of a job. */
final class StartOptions {
  private static final long LONGEST_SECONDS = 86_400;

  @Option(
      names = "--start-over",
      description = {
        "Start from nothing although models were published. Version numbers continue; the"
            + " first new version has no parent and says so. Without this option, a start whose"
            + " state is lost is refused."
      })
  boolean startOver;

  @Option(
      names = "--stop-seconds",
      paramLabel = "N",
      description = {
        "Seconds that the savepoint at the end may take (default: 180, plus one for each 10"
            + " MiB of state, at most 3600). If it takes longer, the next start continues from"
            + " the last checkpoint."
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
