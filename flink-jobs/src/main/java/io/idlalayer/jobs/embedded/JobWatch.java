package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.report.RunView;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.jspecify.annotations.Nullable;

/** Follows a submitted job to its end, wherever it runs. */
public final class JobWatch {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long STATUS_SECONDS = 30;

  private final JobClient job;
  private final DecisionFollower decisions;
  private final RunMonitor monitor;
  private final RunView view;

  /**
   * Watches a job.
   *
   * @param view what {@link #history} read before the job was submitted
   */
  public JobWatch(JobClient job, DecisionFollower decisions, RunMonitor monitor, RunView view) {
    this.job = job;
    this.decisions = decisions;
    this.monitor = monitor;
    this.view = view;
  }

  /** Reads what earlier runs said; to be called before the job is submitted. */
  public static RunView history(DecisionFollower decisions) throws IOException {
    RunView view = new RunView();
    decisions.history(view::remember);
    view.reopen();
    return view;
  }

  public RunView view() {
    return view;
  }

  /**
   * Follows until the job has learned an input or is to stop.
   *
   * @param feed what sends the input, or null to follow until stopped
   * @param stop asked several times a second
   * @return whether the input was learned
   * @throws IOException if the job fails or the feed does
   */
  public boolean follow(@Nullable InputFeed feed, BooleanSupplier stop)
      throws IOException, InterruptedException {
    String run = job.getJobID().toString();
    while (!stop.getAsBoolean()) {
      for (DecisionEvent event : decisions.poll(POLL)) {
        // Another run of the same application may write to the same topic.
        if (event.status().input().run().equals(run)) {
          view.add(event);
          monitor.event(view, event);
        }
      }
      monitor.tick(view);
      if (feed != null) {
        feed.check(monitor);
        if (feed.learned(view)) {
          return true;
        }
      }
      checkRunning();
    }
    return false;
  }

  private void checkRunning() throws IOException, InterruptedException {
    String ended;
    try {
      JobStatus status = get(job.getJobStatus(), STATUS_SECONDS);
      if (!status.isGloballyTerminalState()) {
        return;
      }
      ended = "the job ended as " + status;
    } catch (IllegalStateException gone) {
      // An embedded cluster ends with its job, and can then only tell how.
      ended = "the job and its cluster ended";
    }
    try {
      job.getJobExecutionResult().get(STATUS_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      Throwable root = rootCause(failed);
      throw new IOException("the job failed: " + root, failed);
    } catch (TimeoutException late) {
      throw new IOException(ended, late);
    }
    throw new IOException(ended + " before its input did");
  }

  /**
   * Takes a savepoint and ends the job. In canonical form: a native savepoint of a RocksDB backend
   * leaves out timers that are kept on the heap, and without its timer a learner would sleep until
   * its next event.
   *
   * @param folder address to save into
   * @param limit how long it may take
   * @return the address of the savepoint
   */
  public String stopWithSavepoint(String folder, Duration limit)
      throws IOException, InterruptedException {
    return get(
        job.stopWithSavepoint(false, folder, SavepointFormatType.CANONICAL), limit.toSeconds());
  }

  private static <T> T get(java.util.concurrent.CompletableFuture<T> future, long seconds)
      throws IOException, InterruptedException {
    try {
      return future.get(seconds, TimeUnit.SECONDS);
    } catch (ExecutionException | CompletionException failed) {
      throw new IOException("the job does not answer: " + rootCause(failed), failed);
    } catch (TimeoutException late) {
      throw new IOException("the job did not answer within " + seconds + " s", late);
    }
  }

  /** The innermost cause: what a person wants to read. */
  public static Throwable rootCause(Throwable failed) {
    Throwable root = failed;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }
}
