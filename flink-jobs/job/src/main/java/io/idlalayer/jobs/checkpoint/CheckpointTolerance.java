package io.idlalayer.jobs.checkpoint;

import io.idlalayer.jobs.storage.StorageFault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long a job continues although its checkpoints fail. Learning continues until a given
 * time has passed since the last complete checkpoint or, if there is none, since the start of the
 * job. Confined to one thread.
 */
final class CheckpointTolerance {
  /**
   * Number of failed checkpoints in a row that gives a warning although all folders can be written.
   * Fewer failures are normal: when a task restarts, one or two checkpoints fail.
   */
  static final int FEW_FAILURES = 3;

  /** The warning is repeated after the tolerated time divided by this number. */
  private static final int PARTS = 6;

  private final Duration tolerated;
  private long completed;
  private long failedBefore;
  private long goodNanos;
  private long saidNanos;
  private boolean troubled;
  private @Nullable StorageFault fault;

  /**
   * @param tolerated longest age of the last complete checkpoint
   */
  CheckpointTolerance(Duration tolerated, long nowNanos) {
    this.tolerated = tolerated;
    goodNanos = nowNanos;
  }

  /**
   * The decision what to do now.
   *
   * @param say a sentence to show, or null
   * @param end the message with which the run has to end; null if the run continues
   */
  record Verdict(@Nullable String say, @Nullable String end) {
    static final Verdict NOTHING = new Verdict(null, null);
  }

  /** Returns whether checkpoints have failed since the last complete one. */
  boolean failing(CheckpointCounts counts) {
    return counts.completed() <= completed && counts.failed() > failedBefore;
  }

  /**
   * Decides what to do after a check.
   *
   * @param folder folder of the checkpoints
   * @param found what is wrong with a folder that checkpoints need; null if nothing was found
   */
  Verdict judge(CheckpointCounts counts, Path folder, @Nullable StorageFault found, long nowNanos) {
    if (counts.completed() != completed || counts.failed() < failedBefore) {
      // If a count is lower than before, it comes from a JobManager that was restarted.
      boolean again = troubled && counts.completed() > completed;
      completed = counts.completed();
      failedBefore = counts.failed();
      goodNanos = nowNanos;
      troubled = false;
      fault = null;
      return again ? new Verdict("checkpoints are complete again", null) : Verdict.NOTHING;
    }
    long failures = counts.failed() - failedBefore;
    if (failures == 0) {
      return Verdict.NOTHING;
    }
    fault = found == null ? fault : found;
    Duration age = Duration.ofNanos(nowNanos - goodNanos);
    if (age.compareTo(tolerated) >= 0) {
      return new Verdict(null, end(counts, folder, age));
    }
    if (fault == null && failures < FEW_FAILURES) {
      return Verdict.NOTHING;
    }
    if (troubled && nowNanos - saidNanos < tolerated.toNanos() / PARTS) {
      return Verdict.NOTHING;
    }
    troubled = true;
    saidNanos = nowNanos;
    return new Verdict(warning(counts, folder, failures, age), null);
  }

  private String warning(CheckpointCounts counts, Path folder, long failures, Duration age) {
    StorageFault known = fault;
    String advice = known == null ? "look into the log" : known.cause().advice();
    return String.format(
        Locale.ROOT,
        "warning: %d checkpoint%s failed in %s since the last complete one %s ago: %s; %s. Learning goes on without checkpoints, and ends after %s without one",
        failures,
        failures == 1 ? "" : "s",
        folder,
        words(age),
        problem(counts),
        advice,
        words(tolerated));
  }

  private String end(CheckpointCounts counts, Path folder, Duration age) {
    StorageFault known = fault;
    String advice = known == null ? "find the cause in the log" : known.cause().advice();
    return String.format(
        Locale.ROOT,
        "no checkpoint was completed in %s for %s: %s; %s, then run the same command again",
        folder,
        words(age),
        problem(counts),
        advice);
  }

  private String problem(CheckpointCounts counts) {
    StorageFault known = fault;
    if (known != null) {
      return known.problem();
    }
    String reason = counts.reason();
    return reason == null ? "Flink names no reason" : reason.strip();
  }

  private static String words(Duration time) {
    return time.toSeconds() < 120
        ? time.toSeconds() + " s"
        : String.format(Locale.ROOT, "%d minutes", time.toMinutes());
  }
}
