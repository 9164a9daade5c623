package io.idlalayer.jobs.checkpoint;

import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.recovery.RunFolder;
import io.idlalayer.jobs.storage.FolderProbe;
import io.idlalayer.jobs.storage.StorageFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows the checkpoints of a job. It reports why checkpoints fail, and ends the run when the last
 * complete checkpoint is too old. If files of checkpoints were removed, it reports this and lets
 * the job take a whole new checkpoint. One check at a time runs, on a separate thread. Only one
 * thread calls the methods of this class.
 */
public final class CheckpointWatch implements AutoCloseable {
  /** Time between the beginnings of two checks. */
  static final Duration PAUSE = Duration.ofSeconds(10);

  /** Longest age of the last complete checkpoint, unless the user gives another. */
  public static final Duration TOLERATED = Duration.ofMinutes(30);

  private final WatchedJob job;
  private final RunFiles files;
  private final CheckpointTolerance tolerance;
  private final Function<List<Path>, Optional<StorageFault>> probe;
  private final LongSupplier nanoTime;
  private final Executor looks;
  private final Runnable closing;
  private @Nullable CompletableFuture<Seen> running;
  private long beganNanos;
  private long lookedAfter = -1;

  /**
   * The result of a check.
   *
   * @param run folder of the job's submission
   * @param fault what is wrong with a folder, or null
   * @param missing what was removed and what the watch does about it, or null
   */
  private record Seen(
      CheckpointCounts counts,
      RunFolder run,
      @Nullable StorageFault fault,
      @Nullable String missing) {}

  /**
   * @param tolerated longest age of the last complete checkpoint
   */
  public static CheckpointWatch of(WatchedJob job, RecoveryPoints points, Duration tolerated) {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread made = new Thread(task, "checkpoint-watch");
              made.setDaemon(true);
              return made;
            });
    return new CheckpointWatch(
        job,
        points,
        tolerated,
        new FolderProbe()::look,
        System::nanoTime,
        thread,
        thread::shutdownNow);
  }

  CheckpointWatch(
      WatchedJob job,
      RecoveryPoints points,
      Duration tolerated,
      Function<List<Path>, Optional<StorageFault>> probe,
      LongSupplier nanoTime,
      Executor looks,
      Runnable closing) {
    this.job = job;
    this.files = new RunFiles(points);
    this.probe = probe;
    this.nanoTime = nanoTime;
    this.looks = looks;
    this.closing = closing;
    beganNanos = nanoTime.getAsLong();
    tolerance = new CheckpointTolerance(tolerated, beganNanos);
  }

  /**
   * Returns sentences about the result of the last check. Begins the next check if it is due. Does
   * not wait.
   *
   * @throws CheckpointsFailedException if the last complete checkpoint is too old
   */
  public List<String> news() throws CheckpointsFailedException {
    List<String> sentences = new ArrayList<>();
    CompletableFuture<Seen> look = running;
    if (look != null && look.isDone()) {
      running = null;
      Seen seen = answer(look);
      if (seen != null) {
        judge(seen, sentences);
      }
    }
    if (running == null && nanoTime.getAsLong() - beganNanos >= PAUSE.toNanos()) {
      beganNanos = nanoTime.getAsLong();
      begin();
    }
    return sentences;
  }

  private void judge(Seen seen, List<String> sentences) throws CheckpointsFailedException {
    if (seen.missing() != null) {
      sentences.add("warning: " + seen.missing());
    }
    CheckpointTolerance.Verdict verdict =
        tolerance.judge(seen.counts(), seen.run().folder(), seen.fault(), nanoTime.getAsLong());
    if (verdict.end() != null) {
      throw new CheckpointsFailedException(verdict.end());
    }
    if (verdict.say() != null) {
      sentences.add(verdict.say());
    }
  }

  /** Returns the result of a check; null if Flink did not answer, which other classes report. */
  private static @Nullable Seen answer(CompletableFuture<Seen> look) {
    try {
      return look.get();
    } catch (ExecutionException unanswered) {
      return null;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  private void begin() {
    CompletableFuture<Seen> look = new CompletableFuture<>();
    try {
      looks.execute(
          () -> {
            try {
              look.complete(look());
            } catch (IOException | RuntimeException failed) {
              look.completeExceptionally(failed);
            } catch (InterruptedException stopped) {
              Thread.currentThread().interrupt();
              look.completeExceptionally(stopped);
            }
          });
      running = look;
    } catch (RejectedExecutionException closed) {
      running = null;
    }
  }

  private Seen look() throws IOException, InterruptedException {
    CheckpointCounts counts = job.counts();
    RunFolder run = current();
    String missing = null;
    if (counts.completed() != lookedAfter) {
      lookedAfter = counts.completed();
      Optional<String> gone = files.mend(run);
      if (gone.isPresent()) {
        missing = gone.get() + "; " + replaced();
      }
    }
    StorageFault fault = tolerance.failing(counts) ? probe.apply(folders(run)).orElse(null) : null;
    return new Seen(counts, run, fault, missing);
  }

  /** Lets the job take a whole checkpoint, and returns a clause about that. */
  private String replaced() throws InterruptedException {
    try {
      job.takeWhole();
      return "a whole checkpoint is being taken";
    } catch (IOException refused) {
      return "no whole checkpoint can be taken (%s), so end the run with Ctrl-C, which saves everything"
          .formatted(refused.getMessage());
    }
  }

  private RunFolder current() throws IOException {
    try {
      return files.remember(job.run());
    } catch (IOException withoutMark) {
      RunFolder known = files.known();
      if (known == null) {
        throw withoutMark;
      }
      return known;
    }
  }

  /** Returns the folders into which a checkpoint writes, the innermost first. */
  private List<Path> folders(RunFolder run) throws IOException {
    List<Path> folders = new ArrayList<>();
    if (Files.isDirectory(run.folder())) {
      try (var inside = Files.walk(run.folder(), 2)) {
        inside.filter(Files::isDirectory).forEach(folders::add);
      }
      // Flink creates and deletes the folders of single checkpoints all the time.
      folders.removeIf(each -> String.valueOf(each.getFileName()).startsWith("chk-"));
      Collections.reverse(folders);
    } else {
      folders.add(run.folder());
    }
    folders.addAll(job.others());
    return folders;
  }

  @Override
  public void close() {
    closing.run();
  }
}
