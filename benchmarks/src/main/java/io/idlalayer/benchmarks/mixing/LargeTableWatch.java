package io.idlalayer.benchmarks.mixing;

import io.idlalayer.jobs.cluster.LocalCluster;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.middleware.embedding.table.RowUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Kills all TaskManagers once, as with kill -9, when a part of the events is received, starts
 * others, and measures a run from its first event to its end. Linux only: memory is that of {@code
 * /proc}.
 */
final class LargeTableWatch implements RunMonitor {
  private static final double NANOS = 1e9;
  private static final double KIB_OF_MIB = 1024;

  private final LocalCluster cluster;
  private final int processes;
  private final long killAt;
  private final Map<String, Long> received = new TreeMap<>();
  private final Map<String, RowUsage> rows = new TreeMap<>();
  private final Set<String> restored = new TreeSet<>();
  private final Map<String, Double> peakMib = new TreeMap<>();
  private @Nullable Long firstNanos;
  private long killedNanos;
  private long receivedAtKill;
  private double startSeconds;
  private double restoredSeconds;
  private double learnedSeconds;

  /**
   * @param processes number of TaskManagers
   * @param killAt received events after which they are killed
   */
  LargeTableWatch(LocalCluster cluster, int processes, long killAt) {
    this.cluster = cluster;
    this.processes = processes;
    this.killAt = killAt;
  }

  private static double since(long nanos) {
    return (System.nanoTime() - nanos) / NANOS;
  }

  @Override
  public void phase(String text) {
    Long first = firstNanos;
    if (text.equals("saving") && first != null) {
      learnedSeconds = since(first);
      noteMemory();
    }
  }

  @Override
  public void event(RunView view, DecisionEvent event) {
    long events = event.status().samples().received();
    if (firstNanos == null && events > 0) {
      firstNanos = System.nanoTime();
    }
    received.put(event.learner(), events);
    RowUsage usage = event.status().tables();
    if (usage != null) {
      rows.put(event.learner(), usage);
    }
    long all = received.values().stream().mapToLong(Long::longValue).sum();
    if (killedNanos == 0 && all >= killAt && hasCheckpoint()) {
      receivedAtKill = all;
      kill();
    } else if (killedNanos > 0 && event.type() == DecisionEvent.Type.RESTORED) {
      restored.add(event.learner());
      if (restored.size() == processes && restoredSeconds == 0) {
        restoredSeconds = since(killedNanos);
      }
    }
  }

  @Override
  public void tick(RunView view) {
    noteMemory();
  }

  private boolean hasCheckpoint() {
    try (Stream<Path> all =
        Files.find(
            cluster.workDirectory().resolve("checkpoints"),
            5,
            (path, it) -> path.endsWith("_metadata"))) {
      return all.findAny().isPresent();
    } catch (IOException changing) {
      return false;
    }
  }

  private long pid(int process) throws IOException {
    Path file =
        cluster.workDirectory().resolve("cluster").resolve("taskmanager-" + process + ".pid");
    return Long.parseLong(Files.readString(file).trim().split(" ", -1)[0]);
  }

  private void kill() {
    noteMemory();
    killedNanos = System.nanoTime();
    try {
      for (int process = 1; process <= processes; process++) {
        ProcessHandle of = ProcessHandle.of(pid(process)).orElseThrow();
        of.destroyForcibly();
        of.onExit().join();
      }
      cluster.start(processes, Map.of(), text -> {});
    } catch (IOException | InterruptedException failed) {
      throw new IllegalStateException(failed);
    }
    startSeconds = since(killedNanos);
  }

  /** Notes the largest resident memory that the TaskManagers have had so far. */
  private void noteMemory() {
    for (int process = 1; process <= processes; process++) {
      noteMemory(process);
    }
  }

  private void noteMemory(int process) {
    List<String> lines;
    long pid;
    try {
      pid = pid(process);
      lines = Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"));
    } catch (IOException starting) {
      // The next look finds it.
      return;
    }
    for (String line : lines) {
      if (line.startsWith("VmHWM:")) {
        double kib = Double.parseDouble(line.replaceAll("[^0-9]", ""));
        peakMib.put("process " + pid, kib / KIB_OF_MIB);
      }
    }
  }

  /** Returns what was measured, one line each. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    long events = received.values().stream().mapToLong(Long::longValue).sum();
    lines.add(line("seconds from the first event until all were learned", learnedSeconds));
    lines.add(line("events a second, kill and restart included", events / learnedSeconds));
    lines.add(line("events received when both processes were killed", receivedAtKill));
    lines.add(line("seconds from the kill until other processes ran", startSeconds));
    lines.add(line("seconds from the kill until both learners had their state", restoredSeconds));
    rows.forEach(
        (learner, usage) -> {
          lines.add(line(learner + ": rows", usage.rows()));
          lines.add(line(learner + ": hot rows", usage.hotRows()));
          lines.add(line(learner + ": MiB of rows in the store", usage.slowBytes() / 0x1p20));
        });
    peakMib.forEach((process, mib) -> lines.add(line(process + ": MiB resident at most", mib)));
    return lines;
  }

  private static String line(String name, double number) {
    return String.format(Locale.ROOT, "%s: %.1f", name, number);
  }

  private static String line(String name, long number) {
    return String.format(Locale.ROOT, "%s: %,d", name, number);
  }
}
