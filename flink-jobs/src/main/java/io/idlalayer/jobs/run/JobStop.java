package io.idlalayer.jobs.run;

import io.idlalayer.jobs.recovery.RecoveryPoint;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.jspecify.annotations.Nullable;

/** The clean end of a job: a savepoint, or the last checkpoint where no savepoint comes in time. */
public final class JobStop {
  private static final Duration LEAST = Duration.ofMinutes(3);
  private static final Duration MOST = Duration.ofHours(1);

  /** A slow disk; a savepoint reads the state from it and writes it again. */
  private static final long BYTES_PER_SECOND = 10L << 20;

  private static final long CANCEL_SECONDS = 30;

  private final JobStart start;
  private final Consumer<String> say;

  public JobStop(JobStart start, Consumer<String> say) {
    this.start = start;
    this.say = say;
  }

  /**
   * Ends the job.
   *
   * @param given how long the savepoint may take, or null for a time that suits the size of the
   *     last checkpoint: 3 minutes and a second for each 10 MiB, at most an hour
   * @throws IOException if no savepoint came and there is no checkpoint either
   */
  public void stop(JobClient job, @Nullable Duration given)
      throws IOException, InterruptedException {
    Duration limit = given == null ? limit(bytes(start.runFolder())) : given;
    try {
      // In canonical form: a native savepoint of a RocksDB backend leaves out timers that are kept
      // on the heap, and without its timer a learner would sleep until its next event.
      JobAnswers.await(
          job.stopWithSavepoint(false, start.savepoints(), SavepointFormatType.CANONICAL),
          limit.toSeconds());
    } catch (IOException unsaved) {
      cancel(job, unsaved);
      RecoveryPoint last = start.newestOfRun();
      if (last == null) {
        throw new IOException(
            "no savepoint could be taken (%s), and there is no checkpoint of this run; it begins again where it began"
                .formatted(unsaved.getMessage()),
            unsaved);
      }
      say.accept(
          "warning: no savepoint within %d s (%s); the next start goes on from %s and reads again what came later"
              .formatted(limit.toSeconds(), unsaved.getMessage(), start.relative(last.folder())));
      return;
    }
    start.sweep();
  }

  static Duration limit(long bytes) {
    Duration sized = LEAST.plusSeconds(bytes / BYTES_PER_SECOND);
    return sized.compareTo(MOST) > 0 ? MOST : sized;
  }

  private static long bytes(Path folder) throws IOException {
    long[] sum = new long[1];
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            sum[0] += attributes.size();
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            // Flink deletes old checkpoints meanwhile.
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return sum[0];
  }

  /** Ends a job without saving; what goes wrong is added to the reason. */
  public static void cancel(JobClient job, Exception reason) throws InterruptedException {
    try {
      job.cancel().get(CANCEL_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | IllegalStateException alsoFailed) {
      reason.addSuppressed(alsoFailed);
    }
  }
}
