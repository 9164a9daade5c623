package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.capacity.TaskMemory;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

final class TaskProcessesTest {
  private static TaskMemory memory(Map<String, String> cluster) {
    return TaskProcesses.memory(Configuration.fromMap(cluster));
  }

  @Test
  void memory_ofOurClusters_isWhatTheirProcessesAreStartedWith() {
    TaskMemory memory =
        memory(
            Map.of(
                TaskProcesses.HEAP,
                "1536m",
                TaskProcesses.DIRECT,
                "512m",
                "taskmanager.numberOfTaskSlots",
                "2",
                "parallelism.default",
                "5"));
    assertThat(memory.heapBytes()).isEqualTo(1536L << 20);
    assertThat(memory.directBytes()).isEqualTo(512L << 20);
    assertThat(memory.processes()).isEqualTo(3);
  }

  @Test
  void memory_ofAnotherCluster_isDerivedByFlink() {
    TaskMemory memory = memory(Map.of("taskmanager.memory.process.size", "4g"));
    assertThat(memory.heapBytes()).isBetween(1L << 30, 3L << 30);
    assertThat(memory.directBytes()).isBetween(256L << 20, 1L << 30);
    assertThat(memory.processes()).isEqualTo(1);
  }

  @Test
  void memory_thatTheConfigurationDoesNotSay_refusesNothing() {
    assertThat(memory(Map.of()).heapBytes()).isGreaterThan(1L << 60);
  }
}
