package io.idlalayer.jobs.operator;

import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;

/**
 * What Flink's harness makes around an operator by default, with its files in a folder of the test:
 * those of the default stay in the temporary folder for ever.
 */
final class HarnessEnvironment {
  private static final long MEMORY_BYTES = 3 << 20;

  private HarnessEnvironment() {}

  /** Returns the environment of a single subtask. */
  static MockEnvironment in(Path folder) {
    return in(folder, 1, 1, 0);
  }

  static MockEnvironment in(Path folder, int keyGroups, int parallelism, int subtask) {
    MockEnvironment made =
        new MockEnvironmentBuilder()
            .setManagedMemorySize(MEMORY_BYTES)
            .setMaxParallelism(keyGroups)
            .setParallelism(parallelism)
            .setSubtaskIndex(subtask)
            .setIOManager(new IOManagerAsync(folder.toString()))
            .setTaskManagerRuntimeInfo(
                new TestingTaskManagerRuntimeInfo(new Configuration(), folder.toFile()))
            .build();
    made.getJobConfiguration().set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    return made;
  }
}
