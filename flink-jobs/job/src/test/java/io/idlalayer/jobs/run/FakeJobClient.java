package io.idlalayer.jobs.run;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;

/** A job that runs, and does nothing else that its test has not written. */
public class FakeJobClient implements JobClient {
  @Override
  public JobID getJobID() {
    return new JobID(1, 2);
  }

  @Override
  public CompletableFuture<JobStatus> getJobStatus() {
    return CompletableFuture.completedFuture(JobStatus.RUNNING);
  }

  @Override
  public CompletableFuture<Void> cancel() {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<String> stopWithSavepoint(
      boolean drain, String directory, SavepointFormatType format) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<String> triggerSavepoint(String directory, SavepointFormatType format) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Map<String, Object>> getAccumulators() {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<JobExecutionResult> getJobExecutionResult() {
    throw new UnsupportedOperationException();
  }
}
