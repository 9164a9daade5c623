package io.idlalayer.jobs.embedded;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.JobSubmissionResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.graph.ExecutionPlan;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's cluster in one process, which starts on a separate thread. Flink's client calls {@link
 * #start()} only when it submits a job. Here, this call waits for the start that has begun before.
 */
// Closing Flink's cluster can throw InterruptedException, and javac warns of this in each subclass.
@SuppressWarnings("try")
final class EmbeddedCluster extends MiniCluster {
  /** Time between two checks whether a submitted job is initialized. */
  private static final long LOOK_MILLIS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedCluster.class);

  private final FutureTask<@Nullable Void> start =
      new FutureTask<>(
          () -> {
            super.start();
            return null;
          });

  private EmbeddedCluster(MiniClusterConfiguration settings) {
    super(settings);
  }

  /** Creates a cluster and begins to start it. */
  static EmbeddedCluster begin(MiniClusterConfiguration settings) {
    EmbeddedCluster cluster = new EmbeddedCluster(settings);
    Thread thread = new Thread(cluster.start, "flink-start");
    thread.setDaemon(true);
    thread.start();
    return cluster;
  }

  /**
   * Waits until the cluster has started.
   *
   * @throws Exception the failure of the start
   */
  @Override
  public void start() throws Exception {
    try {
      start.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw failed;
    }
  }

  /**
   * Waits until the start has succeeded or failed.
   *
   * @param seconds time limit
   * @throws TimeoutException if the start takes longer than the time limit
   */
  void awaitStart(long seconds) throws InterruptedException, TimeoutException {
    try {
      start.get(seconds, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      LOG.debug("the embedded Flink that ends has not started", failed);
    }
  }

  /**
   * Submits a job. The returned future is complete as soon as the job is initialized. Flink's
   * client also waits until the job is initialized, but checks only 50, 150, 350, 750 and 1,550 ms
   * after the submission.
   */
  @Override
  public CompletableFuture<JobSubmissionResult> submitJob(ExecutionPlan job) {
    return super.submitJob(job)
        .thenCompose(
            submitted -> whenInitialized(submitted.getJobID()).thenApply(status -> submitted));
  }

  private CompletableFuture<JobStatus> whenInitialized(JobID job) {
    Executor later = CompletableFuture.delayedExecutor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    return getJobStatus(job)
        .thenCompose(
            status ->
                status == JobStatus.INITIALIZING
                    ? CompletableFuture.runAsync(() -> {}, later)
                        .thenCompose(passed -> whenInitialized(job))
                    : CompletableFuture.completedFuture(status));
  }
}
