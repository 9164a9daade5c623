package io.idlalayer.benchmarks.rows;

import io.idlalayer.jobs.operator.FlinkLearnerState;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a learner as a job has them: the product's {@code FlinkRowStore} in keyed state of an
 * embedded Flink with the product's settings. The job's operator waits in its first event, for the
 * key of that event, until the store is closed; so another thread, one at a time, may use its
 * state. There are no checkpoints.
 */
final class JobRows implements AutoCloseable {
  /** Number of key groups of a job. */
  private static final int KEY_GROUPS = 128;

  private static final long START_SECONDS = 120;
  private static final long END_SECONDS = 60;
  private static final String KEY = "rows/0~1";

  /** Between this class and the job in the same process. */
  private static final Map<String, Handover> HANDOVERS = new ConcurrentHashMap<>();

  private record Handover(CompletableFuture<RowStore> opened, CountDownLatch closed) {}

  private final String name = UUID.randomUUID().toString();
  private final Handover handover = new Handover(new CompletableFuture<>(), new CountDownLatch(1));
  private final MiniCluster flink;
  private @Nullable JobID job;
  private final RowStore rows;

  /** Hands its state out, and waits until it is back. */
  private static final class Lends extends KeyedProcessFunction<String, String, String> {
    private static final long serialVersionUID = 1L;
    private final String name;

    Lends(String name) {
      this.name = name;
    }

    @Override
    public void processElement(String key, Context context, Collector<String> out)
        throws InterruptedException {
      Handover handover = HANDOVERS.get(name);
      if (handover == null) {
        throw new IllegalStateException("the store is closed");
      }
      handover.opened().complete(new FlinkLearnerState(getRuntimeContext(), null).rows());
      handover.closed().await();
    }
  }

  /**
   * Starts the job.
   *
   * @param folder existing folder of its files, which is not deleted
   * @param memoryBytes memory of RocksDB: blocks, filters, and memtables
   * @throws IOException if the job does not start
   */
  JobRows(Path folder, long memoryBytes) throws IOException {
    Path absolute = Files.createDirectories(folder).toAbsolutePath();
    String checkpoints = absolute.resolve("checkpoints").toUri().toString();
    Configuration conf =
        FlinkSettings.embedded(
            FlinkSettings.configuration(
                new FlinkSettings.Storage(
                    checkpoints, checkpoints, absolute.resolve("state").toString(), null)),
            Files.createDirectories(absolute.resolve("temporary")));
    conf.removeConfig(CheckpointingOptions.CHECKPOINTING_INTERVAL);
    conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, new MemorySize(memoryBytes));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(conf).setParallelism(1);
    environment.setMaxParallelism(KEY_GROUPS);
    environment
        .fromData(Types.STRING, KEY)
        .keyBy(key -> key, Types.STRING)
        .process(new Lends(name), Types.STRING);
    flink =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(conf)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(1)
                .build());
    HANDOVERS.put(name, handover);
    try {
      flink.start();
      job = flink.submitJob(environment.getStreamGraph().getJobGraph()).get().getJobID();
      rows = handover.opened().get(START_SECONDS, TimeUnit.SECONDS);
    } catch (Exception failed) {
      close();
      throw new IOException("the job that has the rows does not run", failed);
    }
  }

  /** The rows, for one thread at a time. */
  RowStore store() {
    return rows;
  }

  /** Ends the job, whose files are gone then. */
  @Override
  public void close() {
    handover.closed().countDown();
    HANDOVERS.remove(name);
    try {
      JobID running = job;
      if (running != null) {
        // A job that is cut off says so in the output.
        flink.requestJobResult(running).get(END_SECONDS, TimeUnit.SECONDS);
      }
      flink.close();
    } catch (Exception failed) {
      throw new IllegalStateException("Flink with the rows does not end", failed);
    }
  }
}
