package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.recovery.WorkFileSystemFactory;
import io.idlalayer.jobs.rest.RestAccess;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.run.TaskProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;

/** Writes Flink's {@code config.yaml} for the processes of a local cluster. */
final class ClusterConfig {
  /** Number of task slots of a TaskManager. */
  static final int SLOTS = 2;

  private static final String TASK_HEAP = "1536m";
  private static final String DIRECT = "512m";

  private static final String HOST = "127.0.0.1";

  private ClusterConfig() {}

  /** Returns the size of the Java heap for a TaskManager that is started now. */
  static String taskHeap() {
    return environment("IDLA_TASK_HEAP", TASK_HEAP);
  }

  /**
   * Returns how much memory outside its heap a process is allowed to use, if it is started now.
   * Java's default would be the size of the heap.
   */
  static String direct() {
    return environment("IDLA_DIRECT", DIRECT);
  }

  private static String environment(String name, String otherwise) {
    String given = System.getenv(name);
    return given == null || given.isEmpty() ? otherwise : given;
  }

  /**
   * Returns the memory of a cluster's TaskManagers, from the configuration with which they were
   * started.
   */
  static TaskMemory taskMemory(Path work) {
    return TaskProcesses.memory(
        GlobalConfiguration.loadConfiguration(taskManagerFolder(work, 1).toString()));
  }

  private static Path taskManagerFolder(Path work, int number) {
    return work.resolve("cluster").resolve("conf-taskmanager-" + number);
  }

  /**
   * Writes the JobManager's configuration and returns its folder.
   *
   * @param token token that allows a request to change something
   */
  static Path jobManager(
      Path work, LocalCluster.Ports ports, String token, Map<String, String> flink)
      throws IOException {
    Map<String, Object> conf = common(work, ports, "jobmanager");
    conf.putAll(RestAccess.settings(token));
    return write(work.resolve("cluster").resolve("conf-jobmanager"), conf, flink);
  }

  /** Writes a TaskManager's configuration and returns its folder. */
  static Path taskManager(
      Path work, LocalCluster.Ports ports, int number, Path local, Map<String, String> flink)
      throws IOException {
    Map<String, Object> conf = common(work, ports, "taskmanager-" + number);
    conf.put("taskmanager.host", HOST);
    conf.put("taskmanager.bind-host", HOST);
    conf.put("taskmanager.numberOfTaskSlots", SLOTS);
    // Flink's scripts, which compute missing sizes, do not start this process. So every size is
    // given here.
    conf.put("taskmanager.cpu.cores", SLOTS);
    conf.put("taskmanager.memory.task.heap.size", "1280m");
    conf.put("taskmanager.memory.task.off-heap.size", "256m");
    conf.put("taskmanager.memory.managed.size", "256m");
    conf.put("taskmanager.memory.network.min", "64m");
    conf.put("taskmanager.memory.network.max", "64m");
    conf.put("taskmanager.memory.framework.heap.size", "128m");
    conf.put("taskmanager.memory.framework.off-heap.size", "128m");
    conf.put("taskmanager.memory.jvm-metaspace.size", "256m");
    conf.put("taskmanager.memory.jvm-overhead.min", "192m");
    conf.put("taskmanager.memory.jvm-overhead.max", "192m");
    conf.put("state.backend.rocksdb.localdir", local);
    conf.put(TaskProcesses.HEAP, taskHeap());
    conf.put(TaskProcesses.DIRECT, direct());
    return write(taskManagerFolder(work, number), conf, flink);
  }

  /**
   * Returns the settings of Flink that all processes of a cluster share. The folder for temporary
   * files of a process is emptied before it starts.
   */
  private static Map<String, Object> common(Path work, LocalCluster.Ports ports, String name)
      throws IOException {
    Path temporary = work.resolve("tmp").resolve(name);
    Map<String, Object> conf = new TreeMap<>();
    conf.put("jobmanager.rpc.address", HOST);
    conf.put("jobmanager.rpc.port", ports.rpc());
    conf.put("jobmanager.bind-host", HOST);
    conf.put("jobmanager.memory.process.size", "1g");
    conf.put("rest.address", HOST);
    conf.put("rest.bind-address", HOST);
    conf.put("rest.port", ports.rest());
    conf.put("rest.bind-port", ports.rest());
    conf.put("io.tmp.dirs", temporary);
    conf.put("web.tmpdir", temporary);
    conf.put("web.upload.dir", temporary);
    conf.put("web.submit.enable", false);
    conf.put(WorkFileSystemFactory.WORK_DIRECTORY, work);
    conf.put("execution.checkpointing.num-retained", RecoveryPoints.RETAINED);
    // By default Flink fills one process before it uses the next one. The learners of one job would
    // then share a process.
    conf.put("taskmanager.load-balance.mode", "SLOTS");
    // Flink notices a killed TaskManager within seconds. With Flink's default this takes 50
    // seconds.
    conf.put("heartbeat.interval", 1000);
    conf.put("heartbeat.timeout", 6000);
    conf.put("heartbeat.rpc-failure-threshold", 2);
    return conf;
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static Path write(Path folder, Map<String, Object> conf, Map<String, String> flink)
      throws IOException {
    FlinkSettings.refuseThoseOfJobs(flink);
    Files.createDirectories(folder);
    Configuration settled = new Configuration();
    conf.forEach((key, value) -> settled.setString(key, value.toString()));
    String text =
        new TreeMap<>(FlinkSettings.with(settled, flink).toMap())
            .entrySet().stream()
                .map(
                    entry ->
                        entry.getKey()
                            + ": "
                            + (flink.containsKey(entry.getKey())
                                ? quoted(entry.getValue())
                                : entry.getValue()))
                .collect(Collectors.joining("\n", "", "\n"));
    Files.writeString(folder.resolve("config.yaml"), text);
    return folder;
  }
}
