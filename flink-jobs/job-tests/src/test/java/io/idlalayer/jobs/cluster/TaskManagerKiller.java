package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Kills TaskManagers as with kill -9, first one of two and later both, as learners whose models are
 * mixed get on, and starts others in their place.
 */
class TaskManagerKiller extends FakeMonitor {
  private final LocalCluster cluster;
  private final long events;
  private int kills;
  private long mixed;

  /**
   * @param events number of events of the input
   */
  TaskManagerKiller(LocalCluster cluster, long events) {
    this.cluster = cluster;
    this.events = events;
  }

  /** Returns how often TaskManagers were killed. */
  final int kills() {
    return kills;
  }

  @Override
  public void event(RunView view, DecisionEvent event) {
    mixed += event.type() == DecisionEvent.Type.MIXED ? 1 : 0;
    long received = event.status().samples().received();
    // After a checkpoint, so that there is something to come back to.
    if (kills == 0 && mixed > 2 && received > events / 8 && hasCheckpoint()) {
      kill(List.of("taskmanager-1"));
    } else if (kills == 1
        && event.type() == DecisionEvent.Type.MIXED
        && received > events / 4) {
      kill(List.of("taskmanager-1", "taskmanager-2"));
    }
  }

  private boolean hasCheckpoint() {
    Path checkpoints = cluster.workDirectory().resolve("checkpoints");
    try (Stream<Path> all = Files.find(checkpoints, 5, (path, it) -> path.endsWith("_metadata"))) {
      return all.findAny().isPresent();
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private void kill(List<String> names) {
    kills++;
    try {
      for (String name : names) {
        Path pidFile = cluster.workDirectory().resolve("cluster").resolve(name + ".pid");
        long pid = Long.parseLong(Files.readString(pidFile).trim().split(" ", -1)[0]);
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
      }
      cluster.start(2, Map.of(), text -> {});
    } catch (IOException | InterruptedException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
