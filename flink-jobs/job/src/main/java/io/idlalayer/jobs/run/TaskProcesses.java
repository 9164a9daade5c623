package io.idlalayer.jobs.run;

import io.idlalayer.jobs.capacity.TaskMemory;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;

/**
 * The memory of a cluster's TaskManagers, as its configuration describes it. A cluster that {@code
 * idla cluster} has started does not use Flink's scripts. Its configuration has two additional keys
 * for the memory of these JVMs. In any other cluster Flink derives this memory from its memory
 * options.
 */
public final class TaskProcesses {
  /** Key of the Java heap of a TaskManager, its {@code -Xmx}. */
  public static final String HEAP = "idla.task-manager.heap";

  /**
   * Key of the largest memory that a TaskManager is allowed to use outside its heap, its {@code
   * -XX:MaxDirectMemorySize}.
   */
  public static final String DIRECT = "idla.task-manager.direct-memory";

  private static final TaskMemory.Settings OURS =
      new TaskMemory.Settings(
          "IDLA_TASK_HEAP=%dm where the cluster's processes are started",
          "IDLA_DIRECT=%dm where the cluster's processes are started");

  private static final TaskMemory.Settings FLINKS =
      new TaskMemory.Settings(
          "taskmanager.memory.task.heap.size to about %dm",
          "taskmanager.memory.task.off-heap.size to about %dm");

  /** Options of Flink that each determine the size of a TaskManager. */
  private static final List<ConfigOption<MemorySize>> SIZES =
      List.of(
          TaskManagerOptions.TOTAL_PROCESS_MEMORY,
          TaskManagerOptions.TOTAL_FLINK_MEMORY,
          TaskManagerOptions.TASK_HEAP_MEMORY);

  private static final long UNKNOWN_BYTES = Long.MAX_VALUE / 2;

  private TaskProcesses() {}

  /**
   * Returns the memory of a cluster's TaskManagers. If the configuration does not give the memory,
   * it counts as large enough here. Each TaskManager checks its memory again when a learner opens.
   *
   * @param cluster the configuration of the cluster
   */
  public static TaskMemory memory(ReadableConfig cluster) {
    int slots = cluster.get(TaskManagerOptions.NUM_TASK_SLOTS);
    int parallelism = cluster.get(CoreOptions.DEFAULT_PARALLELISM);
    int processes = Math.max(1, (parallelism + slots - 1) / slots);
    MemorySize heap = cluster.getOptional(size(HEAP)).orElse(null);
    MemorySize direct = cluster.getOptional(size(DIRECT)).orElse(null);
    if (heap != null && direct != null) {
      return new TaskMemory(heap.getBytes(), direct.getBytes(), processes, OURS);
    }
    if (SIZES.stream().allMatch(option -> cluster.getOptional(option).isEmpty())) {
      return new TaskMemory(UNKNOWN_BYTES, UNKNOWN_BYTES, processes, FLINKS);
    }
    TaskExecutorProcessSpec derived =
        TaskExecutorProcessUtils.processSpecFromConfig(Configuration.fromMap(cluster.toMap()));
    return new TaskMemory(
        derived.getJvmHeapMemorySize().getBytes(),
        derived.getJvmDirectMemorySize().getBytes(),
        processes,
        FLINKS);
  }

  private static ConfigOption<MemorySize> size(String key) {
    return ConfigOptions.key(key).memoryType().noDefaultValue();
  }
}
