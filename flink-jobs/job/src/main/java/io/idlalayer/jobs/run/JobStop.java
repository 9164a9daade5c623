package io.idlalayer.jobs.run;

import io.idlalayer.jobs.checkpoint.CheckpointsFailedException;
import io.idlalayer.jobs.recovery.RecoveryPoint;
import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.storage.StorageFault;
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
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.jspecify.annotations.Nullable;

/** Ends a job cleanly: with a savepoint or, if that takes too long, with the last checkpoint. */
public final class JobStop {
  private static final Duration LEAST = Duration.ofMinutes(3);
  private static final Duration MOST = Duration.ofHours(1);

  /**
   * Bytes of state that a slow disk reads and writes in a second. A savepoint reads the state from
   * the disk and writes it again.
   */
  private static final long BYTES_PER_SECOND = 10L << 20;

  private static final long CANCEL_SECONDS = 30;

  /** Seconds to wait for a job that is restarting. */
  static final int RESTART_SECONDS = 60;

  private final JobStart start;
  private final Consumer<String> say;
  private final Pause second;

  /** Waits for a second. Tests replace this wait. */
  @FunctionalInterface
  interface Pause {
    void run() throws InterruptedException;
  }

  public JobStop(JobStart start, Consumer<String> say) {
    this(start, say, () -> TimeUnit.SECONDS.sleep(1));
  }

  JobStop(JobStart start, Consumer<String> say, Pause second) {
    this.start = start;
    this.say = say;
    this.second = second;
  }

  /**
   * Ends the job and saves its state.
   *
   * @param given time limit of the savepoint. If it is null, the limit depends on the size of the
   *     run's checkpoints: 3 minutes plus one second for each 10 MiB, at most an hour
   * @return the savepoint; null if none was taken, so that the next start uses the last checkpoint
   * @throws IOException if there is neither a savepoint nor a checkpoint
   */
  public SavedState.@Nullable Savepoint stop(JobClient job, @Nullable Duration given)
      throws IOException, InterruptedException {
    Duration limit = given == null ? limit(bytes(start.runFolder())) : given;
    long begin = System.nanoTime();
    double seconds;
    try {
      save(job, limit);
      seconds = (System.nanoTime() - begin) / 1e9;
    } catch (IOException unsaved) {
      cancel(job, unsaved);
      RecoveryPoint last = start.newestOfRun();
      if (last == null) {
        throw new IOException(
            "no savepoint could be taken (%s), and there is no checkpoint of this run; it begins again where it began"
                .formatted(why(unsaved)),
            unsaved);
      }
      say.accept(
          "warning: no savepoint within %d s (%s); the next start goes on from %s and reads again what came later"
              .formatted(limit.toSeconds(), why(unsaved), start.relative(last.folder())));
      return null;
    }
    RecoveryPoint saved = start.newestOfRun();
    start.sweep();
    return new SavedState.Savepoint(seconds, saved == null ? 0 : saved.bytes());
  }

  /**
   * Ends a job whose checkpoints fail. A savepoint might succeed, because it is written to another
   * folder.
   *
   * @param failed why the job has to end
   * @return the failure to throw, which says what was saved
   */
  public IOException end(JobClient job, @Nullable Duration given, CheckpointsFailedException failed)
      throws InterruptedException {
    try {
      String saved =
          stop(job, given) == null
              ? ""
              : "; everything learned was saved in a savepoint at the end";
      return new IOException(failed.getMessage() + saved, failed);
    } catch (IOException unsaved) {
      failed.addSuppressed(unsaved);
      return failed;
    }
  }

  /**
   * Ends the job with a savepoint. If a task has failed or was lost, Flink restarts the task within
   * seconds, and then the job can take a savepoint.
   */
  private void save(JobClient job, Duration limit) throws IOException, InterruptedException {
    for (int waited = 0; ; waited++) {
      try {
        // The savepoint has the canonical form. A native savepoint of a RocksDB backend leaves out
        // timers that are kept on the heap, and without its timer a learner would sleep until its
        // next event.
        JobAnswers.await(
            job.stopWithSavepoint(false, start.savepoints(), SavepointFormatType.CANONICAL),
            limit.toSeconds());
        return;
      } catch (IOException failed) {
        if (waited == RESTART_SECONDS || !restarts(failed)) {
          throw failed;
        }
        if (waited == 0) {
          say.accept("the job is restarting; its savepoint is taken as soon as it runs");
        }
        second.run();
      }
    }
  }

  private static String why(IOException unsaved) {
    return StorageFault.of(unsaved)
        .map(fault -> fault.problem() + "; " + fault.cause().advice())
        .orElseGet(() -> String.valueOf(unsaved.getMessage()));
  }

  private static boolean restarts(IOException failed) {
    String message = String.valueOf(failed.getMessage());
    return message.contains(CheckpointFailureReason.NOT_ALL_REQUIRED_TASKS_RUNNING.message());
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
            // Flink might delete old checkpoints in the meantime.
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return sum[0];
  }

  /** Cancels a job without saving its state; a failure to cancel is added to the reason. */
  public static void cancel(JobClient job, Exception reason) throws InterruptedException {
    try {
      job.cancel().get(CANCEL_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | IllegalStateException alsoFailed) {
      reason.addSuppressed(alsoFailed);
    }
  }
}
