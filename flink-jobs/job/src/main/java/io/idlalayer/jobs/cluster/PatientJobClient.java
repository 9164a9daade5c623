package io.idlalayer.jobs.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;

/**
 * A client of a job that tolerates an unreachable JobManager for a while. A JobManager is
 * unreachable, for example, if it was killed and is being restarted. Until {@link #PATIENCE} is
 * over, the job counts as restarting.
 */
final class PatientJobClient implements JobClient {
  /** Longest time for which an unreachable JobManager is no failure. */
  static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final long ANSWER_SECONDS = 10;

  private final JobClient job;
  private final LongSupplier nanoTime;
  private final AtomicLong answeredNanos;

  PatientJobClient(JobClient job, LongSupplier nanoTime) {
    this.job = job;
    this.nanoTime = nanoTime;
    answeredNanos = new AtomicLong(nanoTime.getAsLong());
  }

  @Override
  public CompletableFuture<JobStatus> getJobStatus() {
    return job.getJobStatus()
        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
        .whenComplete(
            (status, away) -> {
              if (away == null) {
                answeredNanos.set(nanoTime.getAsLong());
              }
            })
        .exceptionally(
            away -> {
              if (nanoTime.getAsLong() - answeredNanos.get() > PATIENCE.toNanos()) {
                throw new IllegalStateException(
                    "the JobManager has not answered for %d minutes; start it with 'idla cluster start'"
                        .formatted(PATIENCE.toMinutes()),
                    away);
              }
              return JobStatus.RESTARTING;
            });
  }

  @Override
  public JobID getJobID() {
    return job.getJobID();
  }

  @Override
  public CompletableFuture<Void> cancel() {
    return job.cancel();
  }

  @Override
  public CompletableFuture<String> stopWithSavepoint(
      boolean drain, String folder, SavepointFormatType format) {
    return job.stopWithSavepoint(drain, folder, format);
  }

  @Override
  public CompletableFuture<String> triggerSavepoint(String folder, SavepointFormatType format) {
    return job.triggerSavepoint(folder, format);
  }

  @Override
  public CompletableFuture<Map<String, Object>> getAccumulators() {
    return job.getAccumulators();
  }

  @Override
  public CompletableFuture<JobExecutionResult> getJobExecutionResult() {
    return job.getJobExecutionResult();
  }
}
