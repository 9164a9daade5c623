package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.run.JobAnswers;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.deployment.executors.LocalExecutor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.PipelineExecutor;
import org.apache.flink.core.execution.PipelineExecutorFactory;
import org.apache.flink.core.execution.PipelineExecutorServiceLoader;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.minicluster.RpcServiceSharing;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.MathUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink cluster in this process, which runs one job and ends with the job. It starts on a
 * separate thread while the caller prepares the job. Flink's local environment is not used: it
 * starts its cluster only with the job, does not report the port of its REST server, and does not
 * wait for the end of the cluster. Confined to one thread.
 */
final class EmbeddedFlink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedFlink.class);
  private static final long ANSWER_SECONDS = 10;
  private static final long END_SECONDS = 20;

  private final int parallelism;
  private final EmbeddedCluster cluster;

  private EmbeddedFlink(int parallelism, EmbeddedCluster cluster) {
    this.parallelism = parallelism;
    this.cluster = cluster;
  }

  /**
   * Begins to start a cluster. Does not wait until it has started.
   *
   * @param parallelism number of subtasks of the job
   * @param settings settings of the cluster
   */
  static EmbeddedFlink begin(int parallelism, Configuration settings) {
    int processes = settings.get(TaskManagerOptions.MINI_CLUSTER_NUM_TASK_MANAGERS);
    int subtasks =
        settings.get(PipelineOptions.PARALLELISM_OVERRIDES).values().stream()
            .map(Integer::parseInt)
            .reduce(parallelism, Math::max);
    int slots =
        settings
            .getOptional(TaskManagerOptions.NUM_TASK_SLOTS)
            .orElse(MathUtils.divideRoundUp(subtasks, processes));
    return new EmbeddedFlink(
        parallelism,
        EmbeddedCluster.begin(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(new Configuration(settings))
                .setNumTaskManagers(processes)
                .setNumSlotsPerTaskManager(slots)
                .setRpcServiceSharing(RpcServiceSharing.SHARED)
                .build()));
  }

  /**
   * Waits until the cluster has started.
   *
   * @throws IOException with the reason, if the cluster does not start
   */
  void awaitStart() throws IOException, InterruptedException {
    try {
      cluster.start();
    } catch (InterruptedException ending) {
      throw ending;
    } catch (Exception failed) {
      throw new IOException(
          "the embedded Flink does not start: " + JobAnswers.rootCause(failed), failed);
    }
  }

  /**
   * Creates an environment whose job runs on this cluster.
   *
   * @param settings settings of the job
   */
  StreamExecutionEnvironment environment(Configuration settings) {
    Configuration local = new Configuration(settings);
    local.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
    local.set(DeploymentOptions.TARGET, LocalExecutor.NAME);
    local.set(DeploymentOptions.ATTACHED, true);
    return new StreamExecutionEnvironment(new Executors(), local, null);
  }

  /**
   * Returns the REST address of the cluster.
   *
   * @throws IOException if the cluster does not run
   */
  URI restAddress() throws IOException, InterruptedException {
    try {
      return cluster.getRestAddress().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | IllegalStateException gone) {
      throw new IOException("the embedded Flink does not run: " + gone, gone);
    }
  }

  /**
   * Begins a checkpoint that refers to no file of earlier checkpoints.
   *
   * @throws IllegalStateException if the cluster does not run
   */
  CompletableFuture<Long> takeWhole(JobID job) {
    return cluster.triggerCheckpoint(job, CheckpointType.FULL);
  }

  /**
   * Ends the cluster and waits until it has ended. A second call does nothing. If the cluster is
   * still starting, it ends after its start. The wait is needed because Flink's shutdown hook would
   * otherwise load classes from files that are already closed. If the cluster takes too long to
   * end, this method no longer waits, and the cluster ends with the process.
   */
  @Override
  public void close() {
    try {
      cluster.awaitStart(END_SECONDS);
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException late) {
      LOG.warn("the embedded Flink that ends has not started within {} s", END_SECONDS);
    }
    try {
      cluster.closeAsync().get(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException late) {
      LOG.warn("the embedded Flink has not ended within {} s", END_SECONDS, late);
    }
  }

  private final class Executors implements PipelineExecutorServiceLoader, PipelineExecutorFactory {
    @Override
    public PipelineExecutorFactory getExecutorFactory(Configuration settings) {
      return this;
    }

    @Override
    public Stream<String> getExecutorNames() {
      return Stream.of(getName());
    }

    @Override
    public String getName() {
      return LocalExecutor.NAME;
    }

    @Override
    public boolean isCompatibleWith(Configuration settings) {
      return getName().equals(settings.get(DeploymentOptions.TARGET));
    }

    @Override
    public PipelineExecutor getExecutor(Configuration settings) {
      return LocalExecutor.createWithFactory(settings, unused -> cluster);
    }
  }
}
