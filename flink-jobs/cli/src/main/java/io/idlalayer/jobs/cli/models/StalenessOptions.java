package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.serve.ModelSubscriber.StalenessLimit;
import io.idlalayer.middleware.models.serve.ModelSubscriber.WhenStale;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that limit how long predictions continue while the version to serve is unknown. */
final class StalenessOptions {
  private static final double MOST_SECONDS = 365 * 86_400.0;
  private static final double MILLIS_PER_SECOND = 1_000;

  @Option(
      names = "--max-staleness",
      paramLabel = "SECONDS",
      description =
          "With --predict: longest time that a model serves while the store cannot be reached, or"
              + " while the version that is to serve is refused (default: for ever).")
  @Nullable Double maxSeconds;

  @Option(
      names = "--when-stale",
      paramLabel = "refuse|warn",
      description = {
        "With --max-staleness: what happens then (default: refuse).",
        "refuse: requests get 503. warn: a line on standard error."
      })
  @Nullable String whenStale;

  /** Returns whether the user gave one of these options. */
  boolean given() {
    return maxSeconds != null || whenStale != null;
  }

  /**
   * Returns the limit that the options describe; null if they set none.
   *
   * @throws UsageException if the options are invalid
   */
  @Nullable StalenessLimit limit() {
    Double seconds = maxSeconds;
    if (seconds == null) {
      if (whenStale != null) {
        throw new UsageException("--when-stale needs --max-staleness SECONDS");
      }
      return null;
    }
    if (!(seconds >= 1 / MILLIS_PER_SECOND && seconds <= MOST_SECONDS)) {
      throw new UsageException("--max-staleness must be 0.001 to 31536000 seconds, not " + seconds);
    }
    return new StalenessLimit(Duration.ofMillis(Math.round(seconds * MILLIS_PER_SECOND)), then());
  }

  private WhenStale then() {
    String named = whenStale == null ? "refuse" : whenStale;
    return switch (named) {
      case "refuse" -> WhenStale.REFUSE;
      case "warn" -> WhenStale.WARN;
      default ->
          throw new UsageException(
              "--when-stale must be refuse or warn, not '%s'".formatted(named));
    };
  }
}
