package io.idlalayer.jobs.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.FlinkRest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Kills TaskManagers as with kill -9, first each of two and then both, as learners whose models are
 * mixed get on, and starts others in their place.
 */
class TaskManagerKiller extends FakeMonitor {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final LocalCluster cluster;
  private final long inputEvents;
  private int kills;
  private long mixed;
  private boolean restored = true;
  private int processes;

  /**
   * @param events number of events of the input
   */
  TaskManagerKiller(LocalCluster cluster, long events) {
    this.cluster = cluster;
    inputEvents = events;
  }

  /** Returns how often TaskManagers were killed, after each of which learners were restored. */
  final int kills() {
    return restored ? kills : kills - 1;
  }

  /** Returns how many TaskManagers had tasks when one was killed first. */
  final int processes() {
    return processes;
  }

  @Override
  public void event(RunView view, DecisionEvent event) {
    boolean mixes = event.type() == DecisionEvent.Type.MIXED;
    mixed += mixes ? 1 : 0;
    restored |= event.type() == DecisionEvent.Type.RESTORED;
    long received = event.status().samples().received();
    // After a checkpoint, so that there is something to come back to.
    if (kills == 0 && mixed > 2 && received > inputEvents / 8 && hasCheckpoint()) {
      processes = processesWithTasks(event.status().input().run());
      kill(List.of("taskmanager-1"));
    } else if (kills == 1 && restored && mixes && received > inputEvents / 5) {
      kill(List.of("taskmanager-2"));
    } else if (kills == 2 && restored && mixes && received > inputEvents * 3 / 10) {
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

  private int processesWithTasks(String job) {
    try {
      URI address = cluster.restAddress().resolve("/jobs/" + job);
      Set<String> found = new TreeSet<>();
      for (JsonNode vertex : FlinkRest.get(address, ANSWER).get("vertices")) {
        URI tasks = URI.create(address + "/vertices/" + vertex.get("id").asText());
        for (JsonNode task : FlinkRest.get(tasks, ANSWER).get("subtasks")) {
          found.add(task.get("taskmanager-id").asText());
        }
      }
      return found.size();
    } catch (IOException | InterruptedException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private void kill(List<String> names) {
    kills++;
    restored = false;
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
