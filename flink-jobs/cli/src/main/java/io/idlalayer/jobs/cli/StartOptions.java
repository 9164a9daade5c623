package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.checkpoint.CheckpointWatch;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.terminal.UsageException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the start and the end of a job. */
final class StartOptions {
  private static final long LONGEST_SECONDS = 86_400;
  private static final long LONGEST_MINUTES = 10_080;

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

  @Option(
      names = "--checkpoint-tolerance",
      paramLabel = "MINUTES",
      description = {
        "Minutes that learning goes on although no checkpoint completes, for example because their"
            + " disk is full (default: 30). Then the run ends."
      })
  @Nullable Long toleratedMinutes;

  StartOver startOver() {
    return startOver ? StartOver.NOW : StartOver.NO;
  }

  /** Returns the longest time without a complete checkpoint. */
  Duration unsaved() {
    Long minutes = toleratedMinutes;
    if (minutes == null) {
      return CheckpointWatch.TOLERATED;
    }
    if (minutes < 1 || minutes > LONGEST_MINUTES) {
      throw new UsageException("--checkpoint-tolerance must be between 1 and " + LONGEST_MINUTES);
    }
    return Duration.ofMinutes(minutes);
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
