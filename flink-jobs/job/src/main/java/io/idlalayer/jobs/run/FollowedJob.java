package io.idlalayer.jobs.run;

import io.idlalayer.jobs.checkpoint.CheckpointCounts;
import io.idlalayer.jobs.checkpoint.WatchedJob;
import io.idlalayer.jobs.recovery.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The checkpoints of a job that a run follows, read from Flink's REST server.
 *
 * @param rest finds Flink's REST address
 * @param jobId id of the job, as Flink writes it
 * @param folder finds the folder of the job's newest submission
 * @param others further folders that checkpoints need
 * @param whole begins a checkpoint that refers to no file of earlier checkpoints
 */
public record FollowedJob(
    JobCheckpoints.RestAddress rest,
    String jobId,
    Folder folder,
    List<Path> others,
    Supplier<CompletableFuture<Long>> whole)
    implements WatchedJob {
  private static final long ANSWER_SECONDS = 10;

  public FollowedJob {
    others = List.copyOf(others);
  }

  /** Finds the folder of a submission. */
  @FunctionalInterface
  public interface Folder {
    RunFolder find() throws IOException;
  }

  @Override
  public CheckpointCounts counts() throws IOException, InterruptedException {
    return JobCheckpoints.counts(rest.find(), jobId);
  }

  @Override
  public RunFolder run() throws IOException {
    return folder.find();
  }

  @Override
  public void takeWhole() throws IOException, InterruptedException {
    CompletableFuture<Long> taken;
    try {
      taken = whole.get();
    } catch (RuntimeException refused) {
      throw new IOException("the job takes none: " + JobAnswers.rootCause(refused), refused);
    }
    // This does not wait until a large state is written. The next check of the watch finds the
    // checkpoint.
    if (taken.isDone()) {
      JobAnswers.await(taken, ANSWER_SECONDS);
    }
  }
}
