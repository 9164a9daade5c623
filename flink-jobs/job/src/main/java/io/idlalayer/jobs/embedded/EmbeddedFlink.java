package io.idlalayer.jobs.embedded;

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
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.PipelineExecutor;
import org.apache.flink.core.execution.PipelineExecutorFactory;
import org.apache.flink.core.execution.PipelineExecutorServiceLoader;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Flink cluster in this process, which runs one job and ends with it. Flink's own local
 * environment does this too, but does not report the port of its REST server, and does not wait for
 * the end of the cluster. For one thread.
 */
final class EmbeddedFlink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedFlink.class);
  private static final long ANSWER_SECONDS = 10;
  private static final long END_SECONDS = 20;

  private @Nullable MiniCluster cluster;

  /** Creates an environment whose job runs on this cluster. */
  StreamExecutionEnvironment environment(int parallelism, Configuration settings) {
    Configuration local = new Configuration(settings);
    local.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
    local.set(DeploymentOptions.TARGET, LocalExecutor.NAME);
    local.set(DeploymentOptions.ATTACHED, true);
    return new StreamExecutionEnvironment(new Executors(), local, null);
  }

  private MiniCluster begin(MiniClusterConfiguration settings) {
    MiniCluster begun = new MiniCluster(settings);
    cluster = begun;
    return begun;
  }

  /**
   * Returns the REST address of the cluster.
   *
   * @throws IOException if the cluster does not run
   */
  URI restAddress() throws IOException, InterruptedException {
    MiniCluster running = cluster;
    if (running == null) {
      throw new IOException("no job was submitted to the embedded Flink");
    }
    try {
      return running.getRestAddress().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | IllegalStateException gone) {
      throw new IOException("the embedded Flink does not run: " + gone, gone);
    }
  }

  /**
   * Begins a checkpoint that refers to no file of an earlier one.
   *
   * @throws IllegalStateException if the cluster does not run
   */
  CompletableFuture<Long> takeWhole(JobID job) {
    MiniCluster running = cluster;
    if (running == null) {
      throw new IllegalStateException("no job was submitted to the embedded Flink");
    }
    return running.triggerCheckpoint(job, CheckpointType.FULL);
  }

  /**
   * Ends the cluster and waits for its end. If the process ended first, Flink's shutdown hook would
   * look for classes in files that are closed already. If the cluster takes too long to end, this
   * method gives up, and the end of the process ends the cluster.
   */
  @Override
  public void close() {
    MiniCluster running = cluster;
    if (running == null) {
      return;
    }
    try {
      running.closeAsync().get(END_SECONDS, TimeUnit.SECONDS);
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
      return LocalExecutor.createWithFactory(settings, EmbeddedFlink.this::begin);
    }
  }
}
